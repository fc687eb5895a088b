#include "tools/server/http/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <thread>
#include <vector>

namespace pmdex {
namespace work_pool_test {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;

TEST(WorkPool, DoesWhatWaitsBeforeItEnds) {
  std::atomic<int> done{0};
  {
    WorkPoolOptions options;
    options.threads = 3;
    options.most_waiting = 1000;
    auto pool = WorkPool::Start(options);
    ASSERT_TRUE(pool.ok()) << pool.status();
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE((*pool)->Submit(1ms, [&] { ++done; }));
    }
  }
  EXPECT_EQ(done, 1000);
}

TEST(WorkPool, RefusesWorkWhenItsQueueIsFull) {
  std::promise<void> gate;
  std::promise<void> begun;
  std::atomic<int> done{0};
  {
    WorkPoolOptions options;
    options.most_waiting = 2;
    auto pool = WorkPool::Start(options);
    ASSERT_TRUE(pool.ok()) << pool.status();
    ASSERT_TRUE((*pool)->Submit(1ms, [&] {
      begun.set_value();
      gate.get_future().wait();
    }));
    begun.get_future().wait();
    EXPECT_EQ((*pool)->running(), 1u);
    EXPECT_TRUE((*pool)->Submit(1ms, [&] { ++done; }));
    EXPECT_TRUE((*pool)->Submit(1ms, [&] { ++done; }));
    EXPECT_FALSE((*pool)->Submit(1ms, [&] { ++done; }));
    EXPECT_EQ((*pool)->waiting(), 2u);
    gate.set_value();
  }
  EXPECT_EQ(done, 2);
}

TEST(WorkPool, TakesWhatIsQuickBeforeWhatTakesLong) {
  std::promise<void> gate;
  std::promise<void> begun;
  std::vector<int> order;
  {
    auto pool = WorkPool::Start({});
    ASSERT_TRUE(pool.ok()) << pool.status();
    ASSERT_TRUE((*pool)->Submit(1ms, [&] {
      begun.set_value();
      gate.get_future().wait();
    }));
    begun.get_future().wait();
    EXPECT_TRUE((*pool)->Submit(2h, [&] { order.push_back(4); }));
    EXPECT_TRUE((*pool)->Submit(1h, [&] { order.push_back(3); }));
    EXPECT_TRUE((*pool)->Submit(0ms, [&] { order.push_back(1); }));
    EXPECT_TRUE((*pool)->Submit(0ms, [&] { order.push_back(2); }));
    gate.set_value();
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST(WorkPool, DropsWorkForWhichNobodyWaits) {
  std::promise<void> gate;
  std::promise<void> begun;
  std::atomic<int> done{0};
  const auto ticket = std::make_shared<WorkTicket>();
  {
    WorkPoolOptions options;
    options.most_waiting = 2;
    auto pool = WorkPool::Start(options);
    ASSERT_TRUE(pool.ok()) << pool.status();
    ASSERT_TRUE((*pool)->Submit(1ms, [&] {
      begun.set_value();
      gate.get_future().wait();
    }));
    begun.get_future().wait();
    EXPECT_TRUE((*pool)->Submit(
        1h, [&] { done += 100; }, ticket));
    EXPECT_TRUE((*pool)->Submit(1h, [&] { ++done; }));
    EXPECT_FALSE((*pool)->Submit(1ms, [&] { ++done; })) << "the queue is full";
    EXPECT_TRUE(ticket->Take());
    EXPECT_TRUE((*pool)->Submit(1ms, [&] { ++done; })) << "there is room again";
    gate.set_value();
  }
  EXPECT_EQ(done, 2);
}

TEST(WorkPool, GoesOnWithTheThreadThatWorkedLast) {
  WorkPoolOptions options;
  options.threads = 4;
  auto pool = WorkPool::Start(options);
  ASSERT_TRUE(pool.ok()) << pool.status();
  const auto await_idle = [&] {
    while ((*pool)->running() + (*pool)->waiting() > 0) std::this_thread::yield();
  };
  std::latch all_work(4);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE((*pool)->Submit(1ms, [&] { all_work.arrive_and_wait(); }));
  }
  await_idle();
  // A worker that is not yet back in its place may be passed over, but not each time.
  std::thread::id last;
  int changes = -1;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE((*pool)->Submit(1ms, [&] {
      changes += std::this_thread::get_id() != last ? 1 : 0;
      last = std::this_thread::get_id();
    }));
    await_idle();
  }
  EXPECT_LT(changes, 50);
}

}  // namespace work_pool_test
}  // namespace pmdex
