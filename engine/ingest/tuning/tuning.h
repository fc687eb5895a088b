// The parameters of a build that change its speed and its number of segments, but not what the
// index finds. Their names are those of the papers on SCANNS and SCIPIS. A build resolves its
// options once, at its entry, and passes BuildParameters on.
//
// Pure functions of the options; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/memtable/memtable_options.h"
#include "pmem/huge_pages.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// The property of a manifest that keeps the parameters of its last build.
inline constexpr char kTuningProperty[] = "tuning";

inline constexpr uint64_t kMinBlockBytes = uint64_t{64} << 10;
inline constexpr uint64_t kBlockUnitBytes = 4096;  // what direct reads are aligned to
inline constexpr uint64_t kMinIndexMemoryBytes = uint64_t{1} << 20;

// More streams than this, written at a time, make Optane media slower.
inline constexpr int kWritersOfPersistentMemory = 4;

// What a build does, with every default filled in.
struct BuildParameters {
  MemoryPlan memory = {};
  int reader_threads = 1;
  int indexer_threads = 1;
  // The only bound on how many segments are written at a time.
  int writer_threads = 1;
  // How many small files each reader may have open at a time.
  size_t files_ahead = kMostFilesAhead;
  // What every memtable has in common. The indexer that makes it adds the chunk pool, its group and
  // the field names.
  MemtableOptions memtable = {};
  HugePageUse huge_pages = HugePageUse::kAuto;
  DirectIo direct_io = DirectIo::kAuto;
};

// Reduces the indexer and reader threads to as many as memory and descriptors suffice for: the
// memory bounds the build whatever number of threads is asked for. Keeps one of each. CheckTuning
// refuses what still does not fit.
IngestOptions FitThreads(IngestOptions options);

// kInvalidArgument for a parameter that is out of range or does not fit into the memory.
absl::Status CheckTuning(const IngestOptions& options);

// Fills in every default. `medium` is where segments are written: it decides the number of writers
// if the options do not. Requires CheckTuning(options).ok().
BuildParameters ResolveParameters(const IngestOptions& options, StoreGranularity medium);

// "block size 1MiB, reader threads 1, ...": one line, the units as the flags take them.
std::string ToString(const BuildParameters& parameters);

// "64KiB": the number in the largest unit in which it is whole.
std::string SizeText(uint64_t bytes);

}  // namespace pmdex
