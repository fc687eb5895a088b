#include "pmem/thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>

#include "pmem/exhaustion.h"

// How the system refuses threads: tests/tools/exhaustion_test.cc, where pthread_create fails.
namespace pmdex {
namespace thread_test {

TEST(Thread, RunsItsBody) {
  bool ran = false;
  auto thread = StartThread([&ran] { ran = true; });
  ASSERT_TRUE(thread.ok());
  thread->join();
  EXPECT_TRUE(ran);
}

TEST(RunOnThreads, GivesEveryThreadItsNumber) {
  for (const size_t threads : {1, 2, 7}) {
    std::mutex mutex;
    std::multiset<size_t> numbers;
    std::set<std::thread::id> ids;
    EXPECT_TRUE(RunOnThreads(threads, [&](size_t number) {
                  const std::lock_guard<std::mutex> lock(mutex);
                  numbers.insert(number);
                  ids.insert(std::this_thread::get_id());
                  return absl::OkStatus();
                }).ok());
    EXPECT_EQ(numbers.size(), threads);
    EXPECT_EQ(*numbers.rbegin(), threads - 1);
    EXPECT_TRUE(ids.contains(std::this_thread::get_id()));
  }
}

TEST(RunOnThreads, EndsAllThreadsAndReturnsAnError) {
  std::atomic<size_t> ended = 0;
  const absl::Status status = RunOnThreads(5, [&](size_t number) -> absl::Status {
    ++ended;
    return number == 3 ? absl::NotFoundError("three") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::NotFoundError("three"));
  EXPECT_EQ(ended, 5u);
}

TEST(RunOnThreads, LetsNoThreadEndTheProgramWhenMemoryRunsOut) {
  for (const size_t thrower : {0, 2}) {
    const absl::Status status = RunOnThreads(3, [&](size_t number) -> absl::Status {
      if (number == thrower) throw std::bad_alloc();
      return absl::OkStatus();
    });
    EXPECT_EQ(status, OutOfMemory());
  }
}

}  // namespace thread_test
}  // namespace pmdex
