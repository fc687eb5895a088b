#include "tools/server/http/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace pmdex {
namespace work_pool_test {

TEST(WorkPool, DoesWhatWaitsBeforeItEnds) {
  std::atomic<int> done{0};
  {
    WorkPoolOptions options;
    options.threads = 3;
    options.most_waiting = 1000;
    auto pool = WorkPool::Start(options);
    ASSERT_TRUE(pool.ok()) << pool.status();
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE((*pool)->Submit([&] { ++done; }));
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
    ASSERT_TRUE((*pool)->Submit([&] {
      begun.set_value();
      gate.get_future().wait();
    }));
    begun.get_future().wait();
    EXPECT_EQ((*pool)->running(), 1u);
    EXPECT_TRUE((*pool)->Submit([&] { ++done; }));
    EXPECT_TRUE((*pool)->Submit([&] { ++done; }));
    EXPECT_FALSE((*pool)->Submit([&] { ++done; }));
    EXPECT_EQ((*pool)->waiting(), 2u);
    gate.set_value();
  }
  EXPECT_EQ(done, 2);
}

}  // namespace work_pool_test
}  // namespace pmdex
