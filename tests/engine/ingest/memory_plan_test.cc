#include "engine/ingest/memory_plan.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace pmdex {
namespace memory_plan_test {

TEST(PlanMemory, StaysWithinTheBudget) {
  for (const uint64_t mebibytes : {32, 64, 100, 1024, 65536}) {
    for (const int threads : {1, 2, 8}) {
      const uint64_t memory = mebibytes << 20;
      const MemoryPlan plan = PlanMemory(memory, threads, 1);
      EXPECT_LE(plan.block_bytes * plan.block_count + plan.document_limit_bytes +
                    plan.decoders_bytes + plan.memtables_bytes +
                    plan.waiting_files * kBytesPerWaitingFile + plan.names_bytes,
                memory + plan.memtable_overhead_bytes * static_cast<uint64_t>(threads))
          << "but for the least that threads need";
      EXPECT_GE(plan.memtables_bytes, (plan.memtable_bytes + plan.memtable_overhead_bytes) *
                                          static_cast<uint64_t>(threads))
          << "all can be filled at once";
      EXPECT_GE(plan.document_limit_bytes, size_t{1} << 20);
      EXPECT_GE(plan.memtable_bytes, size_t{1} << 20);
      if (mebibytes >= 50 * static_cast<uint64_t>(threads)) {  // enough for everybody
        EXPECT_GE(plan.memtable_bytes * static_cast<uint64_t>(threads), memory / 4);
      }
    }
  }
}

TEST(PlanMemory, AJsonLineMayTakeHalfOfWhatADocumentMayTake) {
  for (const uint64_t mebibytes : {32, 64, 256, 4096}) {
    const MemoryPlan plan = PlanMemory(mebibytes << 20, 2, 1);
    EXPECT_EQ(plan.document_limit_bytes,
              std::min(mebibytes << 18, (uint64_t{1} << 30) - (1 << 20)));
    EXPECT_EQ(plan.json_limit_bytes, plan.document_limit_bytes / 2);
  }
}

TEST(PlanMemory, DecodersOfUsualFilesFitIntoIt) {
  EXPECT_GE(PlanMemory(uint64_t{64} << 20, 2, 1).decoders_bytes, size_t{9} << 20) << "xz -6";
  EXPECT_GE(PlanMemory(uint64_t{1} << 30, 2, 1).decoders_bytes, size_t{66} << 20) << "xz -9";
  EXPECT_GE(PlanMemory(uint64_t{2} << 30, 2, 1).decoders_bytes, size_t{132} << 20) << "zstd --long";
  EXPECT_LE(PlanMemory(uint64_t{32} << 20, 2, 1).decoders_bytes, size_t{5} << 20);
}

TEST(PlanMemory, KeepsAWorkingMinimum) {
  const MemoryPlan plan = PlanMemory(0, 1, 1);
  EXPECT_GE(plan.block_bytes, size_t{64} << 10);
  EXPECT_GE(plan.memtable_bytes, size_t{1} << 20);
  EXPECT_GE(plan.json_limit_bytes, size_t{1} << 20);
}

TEST(PlanMemory, KeepsWhatIsFixed) {
  const MemoryPlan plan =
      PlanMemory(uint64_t{1} << 30, 2, 1, {.block_bytes = 128 << 10, .memtable_bytes = 5 << 20});
  EXPECT_EQ(plan.block_bytes, size_t{128} << 10);
  EXPECT_EQ(plan.memtable_bytes, size_t{5} << 20);
}

TEST(PlanMemory, PlansBlocksForEveryReaderAndIndexer) {
  EXPECT_EQ(PlanMemory(uint64_t{1} << 30, 3, 2).block_count, 10u);
}

TEST(PlannedBytes, AreWithinTheMemoryWhereItHoldsTheThreads) {
  for (const int threads : {1, 4}) {
    const uint64_t memory = uint64_t{1} << 30;
    EXPECT_LE(PlannedBytes(PlanMemory(memory, threads, 1), threads), memory);
  }
}

TEST(PlannedBytes, AreBeyondTheMemoryWhereSomethingFixedDoesNotFit) {
  const uint64_t memory = uint64_t{64} << 20;
  const MemoryPlan plan = PlanMemory(memory, 2, 1, {.memtable_bytes = memory});
  EXPECT_GT(PlannedBytes(plan, 2), memory);
}

}  // namespace memory_plan_test
}  // namespace pmdex
