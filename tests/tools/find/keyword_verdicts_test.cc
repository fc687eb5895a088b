#include "tools/find/keyword_verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tools/find/index_entries.h"

namespace pmdex {
namespace keyword_verdicts_test {

TEST(RetainKeys, KeepsTheDocumentsOfTheRange) {
  std::vector<uint64_t> keys(kWindowDocs);
  for (uint32_t i = 0; i < kWindowDocs; ++i) keys[i] = i * 7 % 1000;
  WindowBits bits;
  for (uint32_t i = 0; i < kWindowDocs; i += 3) bits.Set(i);
  RetainKeys(keys, 100, 200, bits);
  for (uint32_t i = 0; i < kWindowDocs; ++i) {
    const bool expected = i % 3 == 0 && keys[i] >= 100 && keys[i] < 200;
    ASSERT_EQ(bits.words[i / 64] >> (i % 64) & 1, expected ? 1u : 0u) << i;
  }
  RetainKeys(keys, 5, 5, bits);
  EXPECT_EQ(bits.Count(), 0u);
}

class KeywordVerdictsTest : public testing::Test {
 protected:
  // An index of some thousands of different names.
  void SetUp() override {
    std::mt19937 random(1);
    std::set<std::string> names = {"f", "fa", "fab"};
    while (names.size() < 9000) {
      std::string name;
      for (uint32_t n = 1 + random() % 9; n > 0; --n) name += "fabc.7"[random() % 6];
      names.insert(name);
    }
    std::string lines;
    for (const std::string& name : names) lines += "{\"name\": \"" + name + "\"}\n";
    directory_.Write("names.jsonl", lines);
    directory_.Write("schema.toml", "[fields.name]\ntype = \"keyword\"\nmulti = false\n");
    const ProgramResult result = RunProgram({PMDEX_BINARY, "index", directory_ / "names.jsonl",
                                             "--schema", directory_ / "schema.toml", "--index",
                                             directory_ / "index", "--quiet", "--threads", "1"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    auto entries = IndexEntries::Open(directory_ / "index", "");
    ASSERT_TRUE(entries.ok()) << entries.status();
    entries_ = std::make_unique<IndexEntries>(*std::move(entries));
    ASSERT_EQ(entries_->snapshot().segments().size(), 1u);
    column_ = entries_->snapshot().segments()[0]->FindColumn("name");
    ASSERT_NE(column_, nullptr);
  }

  // Asks for windows of random keys, each a few or many documents.
  template <typename Passes>
  void ExpectVerdicts(KeywordVerdicts verdicts, Passes passes, const std::string& what) {
    std::mt19937 random(2);
    for (int round = 0; round < 6; ++round) {
      std::vector<uint64_t> keys(kWindowDocs);
      for (uint64_t& key : keys) key = random() % column_->keyword_count();
      WindowBits asked;
      for (uint32_t n = round % 2 == 0 ? 20 : 3000; n > 0; --n) asked.Set(random() % kWindowDocs);
      WindowBits kept = asked;
      ASSERT_TRUE(verdicts.Retain(keys, kept).ok());
      for (uint32_t i = 0; i < kWindowDocs; ++i) {
        const bool is_asked = (asked.words[i / 64] >> (i % 64) & 1) != 0;
        const bool expected = is_asked && passes(*column_->Keyword(keys[i]));
        ASSERT_EQ((kept.words[i / 64] >> (i % 64) & 1) != 0, expected) << what << " " << keys[i];
        passed_ += expected ? 1 : 0;
      }
    }
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<IndexEntries> entries_;
  const ColumnView* column_ = nullptr;
  size_t passed_ = 0;
};

TEST_F(KeywordVerdictsTest, AreThoseOfThePatternForEachKeyword) {
  for (const char* text : {"*", "f*", "fa", "f", "fa?", "*7", "*a*b*", "f*.7", "[ab]*", "zz*", "",
                           "*.*", "c*c", "nothing"}) {
    const Glob pattern(text, false);
    auto verdicts = KeywordVerdicts::Of(*column_, pattern);
    ASSERT_TRUE(verdicts.ok()) << verdicts.status();
    ExpectVerdicts(
        *std::move(verdicts), [&](std::string_view name) { return pattern.Matches(name); }, text);
  }
  EXPECT_GT(passed_, 10'000u);
}

TEST_F(KeywordVerdictsTest, AreThoseOfTheTestForEachKeyword) {
  int asked = 0;
  const auto is_odd = [](std::string_view name) { return name.size() % 2 == 1; };
  ExpectVerdicts(KeywordVerdicts::Of(*column_,
                                     [&](std::string_view name) {
                                       ++asked;
                                       return is_odd(name);
                                     }),
                 is_odd, "odd");
  EXPECT_GT(passed_, 3000u);
  EXPECT_LE(asked, 9000) << "each keyword once";
}

}  // namespace keyword_verdicts_test
}  // namespace pmdex
