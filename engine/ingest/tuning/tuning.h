// The parameters of the pipeline, under the names that the papers on SCANNS and SCIPIS gave them:
// what a build uses once its defaults are filled in, whether it can, and the line that the index
// keeps of it. None of them changes what the index finds, only how fast it is built and in how many
// segments.
//
// Pure functions of the options; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "pmem/huge_pages.h"
#include "pmem/status.h"

namespace pmdex {

// The property of a manifest that keeps the tuning of its last build.
inline constexpr char kTuningProperty[] = "tuning";

inline constexpr uint64_t kMinBlockBytes = uint64_t{64} << 10;
inline constexpr uint64_t kBlockUnitBytes = 4096;  // what direct reads are aligned to
inline constexpr uint64_t kMinIndexMemoryBytes = uint64_t{1} << 20;
inline constexpr uint32_t kMinIndexDepth = 2;

// Every default is filled in, but for the writers'.
struct Tuning {
  uint64_t block_bytes = 0;
  int reader_threads = 0;
  int indexer_threads = 0;
  int writer_threads = 0;           // 0: as many as suit the medium (WriterThreads)
  uint64_t index_memory_bytes = 0;  // of each indexer
  uint32_t index_depth = 0;         // initial posting capacity per term
  uint32_t split_factor = 0;        // parts of a memtable's vocabulary
  HugePageUse huge_pages = HugePageUse::kAuto;
  DirectIo direct_io = DirectIo::kAuto;
};

// The options with fewer indexer and reader threads where the memory or the descriptors do not hold
// as many: --memory bounds the build whatever the threads. One of each stays. What else does not
// fit is for CheckTuning to refuse.
IngestOptions FitThreads(IngestOptions options);

// Small files that each reader may have open at a time (IngestContext::files_ahead).
size_t FilesAhead(const IngestOptions& options);

// Requires at least one indexer thread.
Tuning EffectiveTuning(const IngestOptions& options);
// How the memory of a build with this tuning is divided.
MemoryPlan PlanMemory(const IngestOptions& options);

// kInvalidArgument for a parameter out of its range, or that does not fit into the memory.
absl::Status CheckTuning(const IngestOptions& options);

// "block size 1MiB, reader threads 1, ...": one line, the units as the flags take them.
std::string ToString(const Tuning& tuning);
// How many threads write segments: as many as index, on persistent memory no more than
// kDefaultConcurrentWriters; less when the options say so. An IndexWriter for these options is
// opened with as many.
int WriterThreads(const IngestOptions& options, const Directory& directory);

// "64KiB": the largest unit in which it is a whole number.
std::string SizeText(uint64_t bytes);

}  // namespace pmdex
