#include "query/expansion/memo.h"

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace memo_test {

constexpr auto kAlways = [](int) { return true; };
constexpr auto kNever = [](int) { return false; };

TEST(Memo, GivesEverybodyWhatTheFirstOneMade) {
  Memo<int> memo;
  EXPECT_EQ(memo.GetOrMake([] { return 1; }, kAlways), 1);
  EXPECT_EQ(memo.GetOrMake([] { return 2; }, kAlways), 1);
}

TEST(Memo, AsksOnceWhetherAValueMayBeKept) {
  Memo<int> memo;
  std::vector<int> asked;
  const auto refuse = [&](int value) {
    asked.push_back(value);
    return false;
  };
  EXPECT_EQ(memo.GetOrMake([] { return 1; }, refuse), 1);
  EXPECT_EQ(memo.GetOrMake([] { return 2; }, refuse), 2);
  EXPECT_EQ(memo.GetOrMake([] { return 3; }, kAlways), 3);
  EXPECT_EQ(asked, std::vector<int>({1}));
}

TEST(Memo, MakesOneValueForThreadsThatComeAtOnce) {
  Memo<int> memo;
  std::atomic<int> made = 0;
  std::array<int, 4> found{};
  std::vector<std::thread> threads;
  for (int& value : found) {
    threads.emplace_back([&] { value = memo.GetOrMake([&] { return ++made; }, kAlways); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(found, (std::array<int, 4>{1, 1, 1, 1}));
}

TEST(Memo, LetsNobodyWaitForWhatCannotBeKept) {
  Memo<int> memo;
  memo.GetOrMake([] { return 1; }, kNever);
  std::future<int> other;
  const auto make_while_another_does = [&] {
    other =
        std::async(std::launch::async, [&] { return memo.GetOrMake([] { return 3; }, kNever); });
    // The minute only passes if the other thread waits for this one to end.
    EXPECT_EQ(other.wait_for(std::chrono::minutes(1)), std::future_status::ready);
    return 2;
  };
  EXPECT_EQ(memo.GetOrMake(make_while_another_does, kNever), 2);
  EXPECT_EQ(other.get(), 3);
}

}  // namespace memo_test
}  // namespace pmdex
