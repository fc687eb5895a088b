// The flags of `pmdex index` that change its speed, but not what the index finds: its memory, its
// threads, and, in a help group of their own, the parameters of the pipeline.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

// What the command line says in words of its own. The other flags go into the IngestOptions as they
// are.
struct TuningFlags {
  int threads = 0;          // 0: not given
  int indexer_threads = 0;  // another name of `threads`
  std::string huge_pages = "auto";
  std::string direct_io = "auto";
  std::string simd = "auto";
  bool tune = false;
};

// Both structs outlive the parsing.
void AddTuningFlags(CLI::App& command, TuningFlags& flags, IngestOptions& options);

// Completes the options: puts the flags into them, adds what is to be known of this machine (its
// CPUs, its NUMA nodes, its descriptors), and takes as many threads as fit. kInvalidArgument for
// values that are out of range or do not fit.
absl::Status ApplyTuningFlags(const TuningFlags& flags, IngestOptions& options);

}  // namespace pmdex
