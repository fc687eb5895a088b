// How the memory of a build is divided between what reads, indexes and writes. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

// How --memory is divided. Sums to at most memory_bytes.
struct MemoryPlan {
  size_t block_bytes = 0;
  size_t block_count = 0;
  size_t document_limit_bytes = 0;     // of one document or line; also the oversize block
  size_t json_limit_bytes = 0;         // of one JSON line: what is made of it takes as much again
  size_t memtables_bytes = 0;          // of all memtables, filling and being written
  size_t memtable_bytes = 0;           // of one, by its own account, ...
  size_t memtable_overhead_bytes = 0;  // ... and what it takes beyond that
  size_t decoders_bytes = 0;           // of all decoders of compressed files
  size_t waiting_files = 0;            // between walk and readers
  size_t names_bytes = 0;              // of entries of directories, while they are walked
};
// Of the files that wait, each on average; fewer may wait when their paths are longer.
inline constexpr size_t kBytesPerWaitingFile = 256;
// The most small files that a reader holds open before it reads them.
inline constexpr size_t kMostFilesAhead = 16;
// What is not for PlanMemory to choose; 0: it is.
struct FixedMemory {
  uint64_t block_bytes = 0;
  uint64_t memtable_bytes = 0;
};
MemoryPlan PlanMemory(uint64_t memory_bytes, int indexer_threads, int reader_threads,
                      const FixedMemory& fixed = {});
// What the plan comes to; more than --memory only where something fixed does not fit, or below the
// working minimum.
uint64_t PlannedBytes(const MemoryPlan& plan, int indexer_threads);

}  // namespace pmdex
