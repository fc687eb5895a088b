// The flags of `pmdex index` that change how fast it is, never what it finds: its memory, its
// threads, and the parameters of the pipeline in a help group of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

struct TuningFlags {
  int threads = 0;          // 0: not given
  int indexer_threads = 0;  // the same under another name
  int reader_threads = 0;
  int writer_threads = 0;
  uint64_t memory_bytes = 0;
  uint64_t block_bytes = 0;
  uint64_t index_memory_bytes = 0;
  uint32_t index_depth = 0;
  uint32_t split_factor = 0;
  std::string huge_pages = "auto";
  std::string direct_io = "auto";
  bool tune = false;
};

// `flags` outlives the parsing.
void AddTuningFlags(CLI::App& command, TuningFlags& flags);

// Puts them into the options, with the defaults that this machine gives.
absl::Status ApplyTuningFlags(const TuningFlags& flags, IngestOptions& options);

}  // namespace pmdex
