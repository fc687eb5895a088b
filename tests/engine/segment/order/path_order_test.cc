#include "engine/segment/order/path_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/segment/order/order_test_sources.h"

namespace pmdex {
namespace path_order_test {

TEST(PathOrder, PutsTheSlashBeforeEveryOtherByte) {
  EXPECT_TRUE(IsPathBefore("a/z", "a-b/c"));
  EXPECT_FALSE(IsPathBefore("a-b/c", "a/z"));
  EXPECT_TRUE(IsPathBefore("a", "a/b"));
  EXPECT_TRUE(IsPathBefore("", "a"));
  EXPECT_FALSE(IsPathBefore("a", "a"));
  EXPECT_TRUE(IsPathBefore("a", "\xc3"));
}

TEST(PathOrder, ComparesNumbersByTheirValue) {
  EXPECT_TRUE(IsPathBefore("log:9", "log:10"));
  EXPECT_FALSE(IsPathBefore("log:10", "log:9"));
  EXPECT_TRUE(IsPathBefore("a99/z", "a100/b"));
  EXPECT_TRUE(IsPathBefore("a007b", "a7c"));
  EXPECT_TRUE(IsPathBefore("99999999999999999999998", "99999999999999999999999"));
  // Different ids never compare as equal.
  EXPECT_TRUE(IsPathBefore("a07", "a7"));
  EXPECT_FALSE(IsPathBefore("a7", "a07"));
  EXPECT_TRUE(IsPathBefore("a0", "a00"));
}

TEST(PathOrder, IsAStrictWeakOrder) {
  SeededRandom random(91);
  std::vector<std::string> paths;
  for (int i = 0; i < 60; ++i) {
    std::string& path = paths.emplace_back();
    for (uint64_t left = random.Below(6); left > 0; --left) path += "/-a019"[random.Below(6)];
  }
  for (const std::string& a : paths) {
    for (const std::string& b : paths) {
      EXPECT_EQ(IsPathBefore(a, b) + IsPathBefore(b, a), a == b ? 0 : 1) << a << " " << b;
      for (const std::string& c : paths) {
        if (IsPathBefore(a, b) && IsPathBefore(b, c)) {
          EXPECT_TRUE(IsPathBefore(a, c)) << a << " " << b << " " << c;
        }
      }
    }
  }
}

TEST(PathOrder, SortsLiveDocumentsByTheirIds) {
  const char* const ids[] = {"b", "a/b", "c", "a-b", "deleted", "b"};
  std::vector<ModelDocument> docs(std::size(ids));
  for (size_t i = 0; i < docs.size(); ++i) docs[i].id = ids[i];
  const auto made = MakeOrderTestSources(std::move(docs), {});
  // Live documents: 0 b, 1 a/b, 2 c, 3 a-b, 4 b. Documents with the same id keep their order.
  EXPECT_EQ(OrderByPath(made->sources, {}).value(), (std::vector<DocId>{1, 3, 0, 4, 2}));
}

TEST(PathOrder, EndsWhenItIsToldTo) {
  const auto made = MakeOrderTestSources(std::vector<ModelDocument>(3), {});
  EXPECT_TRUE(absl::IsCancelled(OrderByPath(made->sources, [] { return true; }).status()));
}

}  // namespace path_order_test
}  // namespace pmdex
