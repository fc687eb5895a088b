// Divides the memory of a build among readers, indexers and writers. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

// The parts of the memory. Their sum is at most memory_bytes (see PlannedBytes for the exceptions).
struct MemoryPlan {
  size_t block_bytes = 0;
  size_t block_count = 0;
  size_t document_limit_bytes = 0;     // the largest document or line; size of the oversize block
  size_t json_limit_bytes = 0;         // the largest JSON line: parsing it takes as much again
  size_t memtables_bytes = 0;          // all memtables together, those being written included
  size_t memtable_bytes = 0;           // one memtable, as Memtable::memory_bytes counts it
  size_t memtable_overhead_bytes = 0;  // what one memtable takes beyond that
  size_t decoders_bytes = 0;           // all decoders of compressed files together
  size_t waiting_files = 0;            // how many files may wait between the walk and the readers
  size_t names_bytes = 0;              // names of directory entries during the walk
};
// The memory planned for each waiting file. Fewer files may wait if their paths are longer.
inline constexpr size_t kBytesPerWaitingFile = 256;
// The most small files that a reader has open before it reads them.
inline constexpr size_t kMostFilesAhead = 16;
// What the user has chosen; PlanMemory chooses what is 0.
struct FixedMemory {
  uint64_t block_bytes = 0;
  uint64_t memtable_bytes = 0;
};
MemoryPlan PlanMemory(uint64_t memory_bytes, int indexer_threads, int reader_threads,
                      const FixedMemory& fixed = {});
// The sum of the plan. It exceeds memory_bytes only if a fixed part does not fit, or if
// memory_bytes is less than the least that works.
uint64_t PlannedBytes(const MemoryPlan& plan, int indexer_threads);

}  // namespace pmdex
