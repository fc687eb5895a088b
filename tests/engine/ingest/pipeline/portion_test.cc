#include "engine/ingest/pipeline/portion.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pmdex {
namespace portion_test {

DoneWork Documents(uint64_t count) {
  DoneWork work;
  work.documents = count;
  return work;
}

TEST(Portion, IsWholeWhenItsInputIsCompleteAndItsSegmentsAreWritten) {
  Portion portion;
  portion.AddSegment();
  portion.AddSegment();
  EXPECT_FALSE(portion.SegmentWritten(7).has_value()) << "the input is not complete";
  EXPECT_FALSE(portion.Close(Documents(3)).has_value()) << "one segment is not written";
  const auto work = portion.SegmentWritten(9);
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->documents, 3u);
  EXPECT_EQ(work->segment_ids, (std::vector<uint64_t>{7, 9}));
}

TEST(Portion, WhoseSegmentsAreWrittenAlreadyIsWholeAtItsEnd) {
  Portion portion;
  portion.AddSegment();
  EXPECT_FALSE(portion.SegmentWritten(1).has_value());
  ASSERT_TRUE(portion.Close(Documents(1)).has_value());
  Portion empty;
  EXPECT_TRUE(empty.Close(Documents(0)).has_value()) << "files that were passed over";
}

TEST(Portion, IsCommittedByExactlyOneOfManyThreads) {
  constexpr uint64_t kThreads = 4;
  for (int round = 0; round < 200; ++round) {
    Portion portion;
    for (uint64_t i = 0; i < kThreads; ++i) portion.AddSegment();
    std::atomic<uint64_t> wholes = 0;
    std::atomic<uint64_t> segments = 0;
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const auto work = portion.SegmentWritten(i);
        if (!work.has_value()) return;
        ++wholes;
        segments += work->segment_ids.size();
      });
    }
    const auto work = portion.Close(Documents(1));
    for (std::thread& thread : threads) thread.join();
    if (work.has_value()) {
      ++wholes;
      segments += work->segment_ids.size();
    }
    ASSERT_EQ(wholes, 1u);
    ASSERT_EQ(segments, kThreads);
  }
}

}  // namespace portion_test
}  // namespace pmdex
