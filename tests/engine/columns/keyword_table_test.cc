#include "engine/columns/keyword_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace pmdex {
namespace keyword_table_test {

TEST(KeywordTable, NumbersKeywordsInTheOrderInWhichTheyCome) {
  KeywordTable table;
  EXPECT_EQ(table.NumberOf("b"), 0u);
  EXPECT_EQ(table.NumberOf(""), 1u);
  EXPECT_EQ(table.NumberOf(std::string_view("a\0b", 3)), 2u);
  EXPECT_EQ(table.NumberOf("b"), 0u);
  EXPECT_EQ(table.NumberOf(""), 1u);
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(table.keyword(0), "b");
  EXPECT_EQ(table.keyword(1), "");
  EXPECT_EQ(table.keyword(2), std::string_view("a\0b", 3));
}

TEST(KeywordTable, GivesWhatAMapGivesWhileItGrows) {
  std::mt19937 random(3);
  KeywordTable table;
  std::map<std::string, uint32_t> expected;
  for (int i = 0; i < 50'000; ++i) {
    const std::string keyword(random() % 9, static_cast<char>('a' + random() % 26));
    const std::string text = keyword + std::to_string(random() % 20'000);
    const auto [at, is_new] = expected.emplace(text, static_cast<uint32_t>(expected.size()));
    ASSERT_EQ(table.NumberOf(text), at->second);
    ASSERT_EQ(table.size(), expected.size());
  }
  size_t bytes = 0;
  for (const auto& [text, number] : expected) {
    EXPECT_EQ(table.keyword(number), text);
    bytes += text.size();
  }
  EXPECT_GE(table.memory_bytes(), bytes);
}

}  // namespace keyword_table_test
}  // namespace pmdex
