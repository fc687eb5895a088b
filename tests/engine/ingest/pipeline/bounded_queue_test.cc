#include "engine/ingest/pipeline/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace pmdex {
namespace bounded_queue_test {

TEST(BoundedQueue, HandsOutInOrderAndEndsWhenClosed) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  queue.Close();
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.PopFor(std::chrono::milliseconds(0)).value, 2);
  EXPECT_TRUE(queue.PopFor(std::chrono::milliseconds(0)).ended);
  EXPECT_FALSE(queue.Pop().has_value());
}

TEST(BoundedQueue, CountsNoWaitingWhereNobodyWaited) {
  BoundedQueue<int> queue(2);
  queue.Push(1);
  queue.Push(2);
  queue.Pop();
  const QueueReport report = queue.report();
  EXPECT_EQ(report.capacity, 2u);
  EXPECT_EQ(report.max_depth, 2u);
  EXPECT_GT(report.mean_depth, 0);
  EXPECT_LE(report.mean_depth, 2);
  EXPECT_EQ(report.push_wait_seconds, 0);
  EXPECT_EQ(report.pop_wait_seconds, 0);
}

TEST(BoundedQueue, KnowsWhichEndWaited) {
  BoundedQueue<int> empty(1);
  EXPECT_FALSE(empty.PopFor(std::chrono::milliseconds(1)).ended);
  EXPECT_GT(empty.report().pop_wait_seconds, 0);
  EXPECT_EQ(empty.report().push_wait_seconds, 0);

  BoundedQueue<int> full(1);
  std::thread producer([&] {
    while (full.Push(1)) {
    }
  });
  while (full.report().push_wait_seconds == 0) full.Pop();
  full.Cancel();
  producer.join();
}

TEST(QueueMeter, WeighsTheDepthByTime) {
  QueueMeter meter;
  meter.SetDepth(4);
  const StageClock::time_point since = StageClock::now();
  while (StageClock::now() - since < std::chrono::milliseconds(2)) {
  }
  meter.SetDepth(0);
  EXPECT_GT(meter.Report(4).mean_depth, 2) << "four for nearly all of the time";
  EXPECT_LE(meter.Report(4).mean_depth, 4);
  EXPECT_EQ(meter.Report(4).max_depth, 4u);
}

}  // namespace bounded_queue_test
}  // namespace pmdex
