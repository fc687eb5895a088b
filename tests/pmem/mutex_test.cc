#include "pmem/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace pmdex {
namespace mutex_test {

class Counter {
 public:
  void Add() {
    MutexLock lock(&mutex_);
    ++value_;
  }
  int AwaitTen() {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &Counter::IsTen);
    return value_;
  }
  bool AwaitTenFor(std::chrono::milliseconds timeout) {
    MutexLock lock(&mutex_);
    return mutex_.AwaitFor(timeout, this, &Counter::IsTen);
  }

 private:
  bool IsTen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return value_ >= 10; }
  Mutex mutex_;
  int value_ ABSL_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, WakesAllWaitersWhenTheConditionComesTrue) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_GE(counter.AwaitTen(), 10); });
  for (int i = 0; i < 10; ++i) threads.emplace_back([&] { counter.Add(); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Mutex, GivesUpAfterTheTimeout) {
  Counter counter;
  EXPECT_FALSE(counter.AwaitTenFor(std::chrono::milliseconds(1)));
  for (int i = 0; i < 10; ++i) counter.Add();
  EXPECT_TRUE(counter.AwaitTenFor(std::chrono::milliseconds(0)));
}

// Two threads that each let the other one go on.
class PingPong {
 public:
  int Play(int player, int rounds) {
    MutexLock lock(&mutex_);
    for (int i = 0; i < rounds; ++i) {
      turns_[player].Await(&mutex_);
      EXPECT_EQ(count_ % 2, player);
      ++count_;
      turns_[1 - player].Send();
    }
    return count_;
  }
  // Before anyone waits, or later.
  void Begin() {
    MutexLock lock(&mutex_);
    turns_[0].Send();
  }

 private:
  Mutex mutex_;
  WakeUp turns_[2];
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
};

TEST(WakeUp, WakesTheOneThreadThatItIsFor) {
  PingPong game;
  game.Begin();
  std::thread other([&] { game.Play(1, 100); });
  game.Play(0, 100);
  other.join();
  std::thread first([&] { game.Play(0, 1); });
  std::thread second([&] { EXPECT_EQ(game.Play(1, 1), 202); });
  first.join();
  second.join();
}

}  // namespace mutex_test
}  // namespace pmdex
