#include "pmem/block_io/read_queue.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/block_io/uncached_file.h"
#include "tests/pmem/block_io/block_file.h"

namespace pmdex {
namespace read_queue_test {

class ReadQueueTest : public testing::TestWithParam<ReadQueue::Method> {
 protected:
  static constexpr size_t kFileBytes = 100 * kCacheBlockBytes + 256;

  BlockFile file_{kFileBytes, 1};
};

TEST_P(ReadQueueTest, ReadsEveryRangeWhetherItsDepthSufficesOrNot) {
  SeededRandom random(2);
  for (const unsigned depth : {1u, 2u, 7u, 64u}) {
    ReadQueue queue(GetParam(), depth);
    HugeBuffer memory(40 * kCacheBlockBytes);
    std::vector<BlockRead> reads(40);
    for (size_t i = 0; i < reads.size(); ++i) {
      reads[i].file = file_.direct().descriptor();
      reads[i].offset = random.Below(101) * kCacheBlockBytes;
      reads[i].bytes = {memory.data() + i * kCacheBlockBytes, kCacheBlockBytes};
    }
    queue.Read(reads);
    for (const BlockRead& read : reads) {
      ASSERT_TRUE(read.status.ok()) << read.status;
      ASSERT_EQ(read.bytes_read, std::min(kCacheBlockBytes, kFileBytes - read.offset));
      ASSERT_TRUE(file_.Holds(read.offset, read.bytes.first(read.bytes_read))) << read.offset;
    }
  }
}

TEST_P(ReadQueueTest, FailsOneRangeAndReadsTheOthers) {
  ReadQueue queue(GetParam());
  HugeBuffer memory(3 * kCacheBlockBytes);
  std::vector<BlockRead> reads(3);
  for (size_t i = 0; i < 3; ++i) {
    reads[i].file = i == 1 ? -1 : file_.direct().descriptor();
    reads[i].bytes = {memory.data() + i * kCacheBlockBytes, kCacheBlockBytes};
  }
  queue.Read(reads);
  EXPECT_TRUE(reads[0].status.ok() && reads[2].status.ok());
  EXPECT_EQ(reads[1].status.message(), "cannot read: Bad file descriptor");
  EXPECT_TRUE(file_.Holds(0, reads[2].bytes));
}

TEST_P(ReadQueueTest, ReadsNothingBehindTheEnd) {
  ReadQueue queue(GetParam());
  HugeBuffer memory(kCacheBlockBytes);
  BlockRead read;
  read.file = file_.direct().descriptor();
  read.offset = 200 * kCacheBlockBytes;
  read.bytes = {memory.data(), kCacheBlockBytes};
  queue.Read({&read, 1});
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ(read.bytes_read, 0u);
}

INSTANTIATE_TEST_SUITE_P(Methods, ReadQueueTest,
                         testing::Values(ReadQueue::Method::kIoUring, ReadQueue::Method::kPread));

TEST(ReadQueue, FallsBackToPreadWhereTheKernelRefusesARing) {
  const ReadQueue queue(ReadQueue::Method::kIoUring, 1u << 30);  // deeper than any kernel allows
  EXPECT_EQ(queue.method(), ReadQueue::Method::kPread);
}

}  // namespace read_queue_test
}  // namespace pmdex
