#include "tools/server/writing/due_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace pmdex {
namespace due_work_test {

using std::chrono::milliseconds;

constexpr milliseconds kNeverDue = std::chrono::hours(1);

void Await(const std::atomic<int>& count, int least) {
  while (count < least) std::this_thread::yield();
}

TEST(DueWork, IsDoneOnceForEachCallAndAgainWhenItIsDue) {
  std::atomic<int> done = 0;
  {
    const auto work = DueWork::Start(kNeverDue, [&] {
      ++done;
      return done == 2 ? milliseconds(1) : kNeverDue;
    });
    ASSERT_TRUE(work.ok()) << work.status();
    EXPECT_EQ(done, 0);
    (*work)->Call();
    Await(done, 1);
    (*work)->Call();
    Await(done, 3);
  }
  EXPECT_EQ(done, 3);
}

TEST(DueWork, IsDoneWithoutACallWhenItIsDue) {
  std::atomic<int> done = 0;
  const auto work = DueWork::Start(milliseconds(1), [&] {
    ++done;
    return kNeverDue;
  });
  ASSERT_TRUE(work.ok()) << work.status();
  Await(done, 1);
}

TEST(DueWork, ACallWhileItIsDoneHasItDoneAgain) {
  std::atomic<int> begun = 0;
  std::atomic<bool> may_end = false;
  const auto work = DueWork::Start(kNeverDue, [&] {
    ++begun;
    while (!may_end) std::this_thread::yield();
    return kNeverDue;
  });
  ASSERT_TRUE(work.ok()) << work.status();
  (*work)->Call();
  Await(begun, 1);
  (*work)->Call();
  may_end = true;
  Await(begun, 2);
}

}  // namespace due_work_test
}  // namespace pmdex
