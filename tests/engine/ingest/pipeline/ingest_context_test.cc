#include "engine/ingest/pipeline/ingest_context.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/ingest/pipeline/node_groups.h"

namespace pmdex {
namespace ingest_context_test {

BuildParameters Parameters(int indexers, int readers, size_t blocks) {
  BuildParameters parameters;
  parameters.indexer_threads = indexers;
  parameters.reader_threads = readers;
  parameters.memory.block_bytes = 4096;
  parameters.memory.block_count = blocks;
  parameters.memory.decoders_bytes = 1000;
  return parameters;
}

TEST(IngestContext, TakesItsSizesFromTheParameters) {
  IngestContext context(Parameters(3, 2, 7));
  EXPECT_EQ(context.pool.block_bytes(), 4096u);
  EXPECT_EQ(context.decoders.free_bytes(), 1000u);
  EXPECT_EQ(context.blocks.report().capacity, 7u);
  EXPECT_EQ(context.indexer_groups, (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(context.reader_groups, (std::vector<size_t>{0, 0}));
}

TEST(IngestContext, GivesAllBlocksToTheOneGroupThatThereIs) {
  IngestContext context(Parameters(2, 2, 3));
  const BlockPtr blocks[] = {context.pool.Acquire(), context.pool.Acquire(),
                             context.pool.Acquire()};
  for (const BlockPtr& block : blocks) {
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->group, 0u);
  }
}

TEST(IngestContext, DealsBlocksToTheGroupsThatHaveReaders) {
  const std::vector<NumaNode> nodes = {{.id = 0, .cpus = {0}}, {.id = 1, .cpus = {0}}};
  IngestContext context(Parameters(2, 1, 4), nodes);
  EXPECT_EQ(context.groups.count(), 2u);
  EXPECT_EQ(context.indexer_groups, (std::vector<size_t>{0, 1}));
  ASSERT_EQ(context.reader_groups, (std::vector<size_t>{0}));
  std::vector<BlockPtr> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(context.pool.Acquire());
  for (const BlockPtr& block : blocks) EXPECT_EQ(block->group, 0u);
}

TEST(IngestContext, IsStoppedWithTheFlagOfTheOptions) {
  StopFlag stop;
  IngestContext context(Parameters(1, 1, 2), {}, &stop);
  EXPECT_FALSE(context.stopped.IsSet());
  stop.Set();
  EXPECT_TRUE(context.stopped.IsSet());
}

}  // namespace ingest_context_test
}  // namespace pmdex
