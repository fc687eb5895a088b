#include "engine/segment/sticky_status.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace pmdex {
namespace sticky_status_test {

TEST(StickyStatus, KeepsTheFirstError) {
  StickyStatus status;
  EXPECT_TRUE(status.Get().ok());
  status.Set(absl::OkStatus());
  EXPECT_TRUE(status.Get().ok());
  status.Set(DataLoss("first"));
  status.Set(DataLoss("second"));
  status.Set(absl::OkStatus());
  EXPECT_EQ(Message(status.Get()), "first");
}

TEST(StickyStatus, IsOneOfThoseThatThreadsSet) {
  StickyStatus status;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&status, i] { status.Set(DataLoss("thread " + std::to_string(i))); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Message(status.Get()).starts_with("thread "));
}

}  // namespace sticky_status_test
}  // namespace pmdex
