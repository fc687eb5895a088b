#include "engine/ingest/formats/field_registry.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace field_registry_test {

TEST(FieldRegistry, AdmitsAllWhileTheyFitAndSaysWhenTheyDoNot) {
  FieldRegistry registry({"a"}, 3, FieldAdmission::kAll);
  for (const char* name : {"b", "a", "c", "b"}) EXPECT_TRUE(registry.Admit(name, {})) << name;
  EXPECT_FALSE(registry.overflowed());
  EXPECT_FALSE(registry.Admit("d", {}));
  EXPECT_TRUE(registry.overflowed());
  EXPECT_TRUE(registry.Admit("c", {}));
}

TEST(FieldRegistry, KeepsToTheNamesThatAreSettled) {
  FieldRegistry registry({"a", ""}, 3, FieldAdmission::kSettled);
  EXPECT_TRUE(registry.Admit("a", {}));
  EXPECT_TRUE(registry.Admit("", 7));
  EXPECT_FALSE(registry.Admit("b", 8));
  EXPECT_FALSE(registry.overflowed());
}

TEST(FieldRegistry, WaitsForNobodyWhereNamesInOrderLeaveNoPlace) {
  FieldRegistry registry({"a", "b", "c"}, 2, FieldAdmission::kInOrder);
  EXPECT_TRUE(registry.Admit("c", 5));
  EXPECT_FALSE(registry.Admit("d", 5));
  EXPECT_FALSE(registry.overflowed());
}

// They may be of documents far behind those that come next.
TEST(FieldRegistry, OverflowsWhereNamesOfAnyOrderLeaveNoPlace) {
  FieldRegistry registry({"a", "b"}, 2, FieldAdmission::kAll);
  EXPECT_TRUE(registry.Admit("b", {}));
  EXPECT_FALSE(registry.Admit("d", {}));
  EXPECT_TRUE(registry.overflowed());
}

// Blocks of random names, dealt in order to several threads.
TEST(FieldRegistry, AdmitsTheFirstNamesInOrderWhicheverThreadMeetsThem) {
  constexpr size_t kLimit = 40;
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::string>> blocks(200);
    std::vector<std::string> first;
    for (auto& names : blocks) {
      for (uint32_t n = random() % 5; n > 0; --n) names.push_back(std::to_string(random() % 100));
      for (const std::string& name : names) {
        const bool is_new = std::find(first.begin(), first.end(), name) == first.end();
        if (is_new && first.size() < kLimit) first.push_back(name);
      }
    }
    const std::set<std::string> expected(first.begin(), first.end());
    FieldRegistry registry({}, kLimit, FieldAdmission::kInOrder);
    std::atomic<size_t> next = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (size_t turn; (turn = next.fetch_add(1)) < blocks.size();) {
          for (const std::string& name : blocks[turn]) {
            if (registry.Admit(name, turn) != expected.contains(name)) ++wrong;
          }
          registry.FinishTurn(turn);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_FALSE(registry.overflowed());
  }
}

TEST(FieldRegistry, LetsNobodyWaitOnceTheRunStops) {
  FieldRegistry registry({}, 3, FieldAdmission::kInOrder);
  std::thread waiting([&] { registry.Admit("b", 1); });
  registry.Cancel();
  waiting.join();
}

}  // namespace field_registry_test
}  // namespace pmdex
