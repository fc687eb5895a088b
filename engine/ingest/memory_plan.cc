#include "engine/ingest/memory_plan.h"

#include <algorithm>

#include "engine/memtable/memtable_options.h"
#include "engine/segment/writer_memory.h"

namespace pmdex {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kLargestBlock = kMiB;
constexpr size_t kSmallestBlock = size_t{64} << 10;
// Offsets in a stored chunk and token counts are 32 bits.
constexpr uint64_t kLargestDocument = (uint64_t{1} << 30) - kMiB;
static_assert(kLargestDocument <= MemtableLimits::kMaxDocTokens, "a token takes a byte at least");
// The handles of an arena reach 32 GiB, those of the entries of terms half of it. With the memory
// for its flush, a term takes more than twice its entry.
constexpr uint64_t kLargestMemtable = uint64_t{24} << 30;
// Bounds of the memory for the names of a directory. The directory is read once for each time that
// its names fill this memory.
constexpr size_t kLeastNames = size_t{64} << 10;
constexpr size_t kMostNames = 64 * kMiB;
// The program and its libraries.
constexpr uint64_t kFixedBytes = 8 * kMiB;
// Two arenas, each with a chunk that is partly used. The two chunks are never both nearly empty, so
// the stack, the analyzer and the buffers of a thread fit into the rest of this.
constexpr uint64_t kMemtableOverhead = 4 * kMiB;
// Memtable::memory_bytes does not count the buffers of the segment writer, whose size is fixed.
static_assert(kMemtableOverhead >= kWriterBufferBytes, "the writer's buffers are part of it");

// A decoder that needs more is rare (xz -9: 65 MiB, zstd --ultra -22: 129 MiB).
constexpr uint64_t kMostForDecoders = 256 * kMiB;
constexpr uint64_t kUsualXzDecoder = 9 * kMiB;

// A fifteenth of the memory. If that is less than the usual xz file takes, up to a seventh.
uint64_t DecodersBytes(uint64_t memory_bytes) {
  const uint64_t usual = std::min(memory_bytes / 7, kUsualXzDecoder);
  return std::clamp<uint64_t>(memory_bytes / 15, std::max(usual, kMiB), kMostForDecoders);
}

// What a plan takes without the memtables.
uint64_t BytesBeside(const MemoryPlan& plan, uint64_t indexers) {
  return plan.block_bytes * plan.block_count + plan.document_limit_bytes + plan.decoders_bytes +
         plan.waiting_files * kBytesPerWaitingFile + plan.names_bytes + kFixedBytes +
         plan.memtable_overhead_bytes * indexers;
}

}  // namespace

MemoryPlan PlanMemory(uint64_t memory_bytes, int indexer_threads, int reader_threads,
                      const FixedMemory& fixed) {
  const uint64_t indexers = static_cast<uint64_t>(indexer_threads);
  MemoryPlan plan;
  plan.block_count = static_cast<size_t>(2 * indexers + 2 * static_cast<uint64_t>(reader_threads));
  plan.block_bytes = fixed.block_bytes;
  if (fixed.block_bytes == 0) {
    plan.block_bytes = std::clamp<size_t>(memory_bytes / 16 / plan.block_count / 4096 * 4096,
                                          kSmallestBlock, kLargestBlock);
  }
  plan.document_limit_bytes = std::clamp<uint64_t>(memory_bytes / 4, kMiB, kLargestDocument);
  plan.json_limit_bytes = std::max<uint64_t>(kMiB, plan.document_limit_bytes / 2);
  plan.waiting_files =
      std::clamp<size_t>(memory_bytes / 64 / kBytesPerWaitingFile, 256, size_t{1} << 18);
  plan.decoders_bytes = DecodersBytes(memory_bytes);
  plan.names_bytes = std::clamp<size_t>(memory_bytes / 16, kLeastNames, kMostNames);
  plan.memtable_overhead_bytes = kMemtableOverhead;
  const uint64_t taken = BytesBeside(plan, indexers);
  const uint64_t left = memory_bytes > taken ? memory_bytes - taken : 0;
  plan.memtable_bytes = fixed.memtable_bytes != 0
                            ? fixed.memtable_bytes
                            : std::clamp<uint64_t>(left / indexers, kMiB, kLargestMemtable);
  plan.memtables_bytes =
      std::max<uint64_t>(left, plan.memtable_bytes * indexers) + kMemtableOverhead * indexers;
  return plan;
}

uint64_t PlannedBytes(const MemoryPlan& plan, int indexer_threads) {
  const uint64_t indexers = static_cast<uint64_t>(indexer_threads);
  return BytesBeside(plan, indexers) + plan.memtable_bytes * indexers;
}

}  // namespace pmdex
