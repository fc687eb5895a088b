// Regular expressions and fuzzy words on keywords: they find what plain comparisons of the values
// find, with the scores of Lucene.
#include "query/columns/keyword_expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "query/searcher.h"
#include "tests/support/effort.h"
#include "tests/support/random_columns.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace keyword_expansion_test {

using Values = std::vector<std::vector<std::string>>;  // indexed by document

// An index of the column k, of segments of so many documents each.
std::shared_ptr<const Snapshot> IndexOf(const Values& values, const std::vector<uint32_t>& counts) {
  RandomColumn column{"k", FieldType::kKeyword, {}};
  for (const auto& keywords : values) {
    auto& added = column.values.emplace_back();
    for (const std::string& keyword : keywords) added.push_back({0, keyword});
  }
  std::vector<std::shared_ptr<const Segment>> segments;
  uint32_t base = 0;
  for (const uint32_t count : counts) {
    VectorSegmentInput input({.positions = false});
    const FieldId body = input.AddField("body");
    for (uint32_t i = 0; i < count; ++i) {
      input.AddText(input.AddDocument("d" + std::to_string(base + i)), body, "all");
    }
    AddColumns({column}, base, input);
    input.Finish();
    segments.push_back(SegmentBytes(input).Open().value());
    base += count;
  }
  IndexSettings settings;
  settings.positions = false;
  return Snapshot::Of(settings, std::move(segments));
}

std::string RandomKeyword(SeededRandom& random) {
  std::string keyword;
  for (uint64_t left = random.Below(7); left > 0; --left) keyword += "abcAB"[random.Below(5)];
  return keyword;
}

// Most documents have one value, some none, and, if `multi`, some several or one twice.
Values RandomValues(uint32_t docs, bool multi, SeededRandom& random) {
  Values values(docs);
  for (auto& keywords : values) {
    const uint64_t count = random.OneIn(8) ? 0 : multi ? 1 + random.Below(3) : 1;
    for (uint64_t i = 0; i < count; ++i) keywords.push_back(RandomKeyword(random));
    if (multi && count > 0 && random.OneIn(4)) keywords.push_back(keywords[0]);
  }
  return values;
}

// Optimal string alignment of ASCII texts.
uint32_t EditsBetween(const std::string& a, const std::string& b) {
  std::vector<std::vector<uint32_t>> edits(a.size() + 1, std::vector<uint32_t>(b.size() + 1));
  for (uint32_t i = 0; i <= a.size(); ++i) {
    for (uint32_t j = 0; j <= b.size(); ++j) {
      uint32_t& least = edits[i][j];
      least = i + j;
      if (i > 0) least = std::min(least, edits[i - 1][j] + 1);
      if (j > 0) least = std::min(least, edits[i][j - 1] + 1);
      if (i == 0 || j == 0) continue;
      least = std::min(least, edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least = std::min(least, edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

struct Expected {
  std::string keyword;
  float similarity = 0;
  uint64_t df = 0;
};

// By a look at every value.
std::vector<Expected> NearestIn(const Values& values, const Query& query) {
  std::map<std::string, std::set<size_t>> docs;
  for (size_t doc = 0; doc < values.size(); ++doc) {
    for (const std::string& keyword : values[doc]) docs[keyword].insert(doc);
  }
  std::vector<Expected> all;
  for (const auto& [keyword, with] : docs) {
    const uint32_t edits = EditsBetween(query.text, keyword);
    if (edits > (query.text.empty() ? 0 : query.edits)) continue;
    if (!keyword.starts_with(query.text.substr(0, query.prefix_length))) continue;
    const size_t shorter = std::max<size_t>(1, std::min(keyword.size(), query.text.size()));
    all.push_back(
        {keyword, 1.0f - static_cast<float>(edits) / static_cast<float>(shorter), with.size()});
  }
  std::stable_sort(all.begin(), all.end(), [](const Expected& a, const Expected& b) {
    return a.similarity > b.similarity;
  });
  all.resize(std::min<size_t>(all.size(), std::min<uint32_t>(query.max_expansions, 50)));
  return all;
}

std::map<uint64_t, float> ScoresOf(const Searcher& searcher, const std::string& query) {
  SearchOptions options;
  options.k = 10'000;
  const auto result = searcher.Search(query, options);
  EXPECT_TRUE(result.ok()) << query << ": " << result.status();
  std::map<uint64_t, float> scores;
  if (!result.ok()) return scores;
  for (const Hit& hit : result->hits) scores[hit.doc] = hit.score;
  return scores;
}

class KeywordExpansionTest : public testing::TestWithParam<bool> {
 protected:
  SeededRandom random_{GetParam() ? 5u : 6u};
  const Values values_ = RandomValues(2000, GetParam(), random_);
  const std::shared_ptr<const Snapshot> snapshot_ = IndexOf(values_, {1200, 50, 750});
};

TEST_P(KeywordExpansionTest, FindsTheNearestKeywordsAndTheirDocuments) {
  size_t found = 0;
  for (int i = 0; i < Rounds(300); ++i) {
    Query query;
    query.kind = QueryKind::kFuzzy;
    query.field = "k";
    query.text = RandomKeyword(random_);
    query.edits = static_cast<uint32_t>(random_.Below(3));
    query.prefix_length = static_cast<uint32_t>(random_.Below(4));
    query.max_expansions = random_.OneIn(2) ? 50 : static_cast<uint32_t>(random_.Below(5));
    DeadlineWatch watch(kNoDeadline);
    const auto expanded = ExpandFuzzyKeyword(query, *snapshot_, watch);
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    const std::vector<Expected> expected = NearestIn(values_, query);
    ASSERT_EQ(expanded->size(), expected.size()) << query.text << "~" << query.edits;
    for (size_t at = 0; at < expected.size(); ++at) {
      EXPECT_EQ((*expanded)[at].keyword, expected[at].keyword);
      EXPECT_EQ((*expanded)[at].similarity, expected[at].similarity);
      EXPECT_EQ((*expanded)[at].df, expected[at].df) << expected[at].keyword;
    }
    found += expected.size();
  }
  EXPECT_GT(found, kIsSanitized ? 10u : 1000u);
}

TEST_P(KeywordExpansionTest, ScoresAsLuceneScoresKeywords) {
  const Searcher searcher(snapshot_);
  double with_values = 0;
  double value_count = 0;
  for (const auto& keywords : values_) {
    with_values += keywords.empty() ? 0 : 1;
    value_count += static_cast<double>(keywords.size());
  }
  for (int i = 0; i < Rounds(100); ++i) {
    Query query;
    query.text = RandomKeyword(random_) + "a";
    query.edits = static_cast<uint32_t>(random_.Below(3));
    const std::vector<Expected> expected = NearestIn(values_, query);
    double df = 0;
    for (const Expected& keyword : expected) df = std::max(df, static_cast<double>(keyword.df));
    const double idf = std::log(1 + (with_values - df + 0.5) / (df + 0.5));
    const double length = 1.2 * (0.25 + 0.75 * with_values / value_count);
    std::map<uint64_t, double> scores;
    for (uint64_t doc = 0; doc < values_.size(); ++doc) {
      for (const Expected& keyword : expected) {
        const auto& own = values_[doc];
        if (std::find(own.begin(), own.end(), keyword.keyword) == own.end()) continue;
        scores[doc] += std::max(0.0f, keyword.similarity) * idf / (1 + length);
      }
    }
    const auto found = ScoresOf(searcher, "k:" + query.text + "~" + std::to_string(query.edits));
    ASSERT_EQ(found.size(), scores.size()) << query.text;
    for (const auto& [doc, score] : scores) EXPECT_NEAR(found.at(doc), score, 1e-5) << doc;
  }
}

std::string RandomExpression(SeededRandom& random, int depth = 0) {
  std::string expression;
  for (uint64_t parts = 1 + random.Below(3); parts > 0; --parts) {
    static constexpr const char* kAtoms[] = {"a", "b", "A", "[ab]", "[^b]", "[A-B]", "."};
    std::string part = kAtoms[random.Below(std::size(kAtoms))];
    if (depth == 0 && random.OneIn(3)) part = "(" + RandomExpression(random, depth + 1) + ")";
    static constexpr const char* kRepeats[] = {"", "", "*", "+", "?", "{1,2}"};
    expression += part + kRepeats[random.Below(std::size(kRepeats))];
  }
  return random.OneIn(4) ? expression + "|" + RandomExpression(random, depth + 1) : expression;
}

TEST_P(KeywordExpansionTest, MatchesExpressionsAgainstWholeKeywords) {
  const Searcher searcher(snapshot_);
  size_t some = 0;
  for (int i = 0; i < Rounds(300); ++i) {
    const std::string expression = RandomExpression(random_);
    const std::regex plain(expression);
    std::map<uint64_t, float> expected;
    for (uint64_t doc = 0; doc < values_.size(); ++doc) {
      const bool matches = std::any_of(values_[doc].begin(), values_[doc].end(),
                                       [&](const auto& k) { return std::regex_match(k, plain); });
      if (matches) expected[doc] = 1;
    }
    some += !expected.empty() && expected.size() < 500;
    EXPECT_EQ(ScoresOf(searcher, "k:/" + expression + "/"), expected) << expression;
  }
  EXPECT_GT(some, kIsSanitized ? 5u : 100u);
}

INSTANTIATE_TEST_SUITE_P(OneValueAndSeveral, KeywordExpansionTest, testing::Bool());

TEST(KeywordExpansion, CountsCharactersAndKeepsStrayBytes) {
  const Searcher searcher(IndexOf({{"Äpfel"},
                                   {"äpfel"},
                                   {"\xff"
                                    "pfel"},
                                   {"pfel"},
                                   {""}},
                                  {5}));
  const auto docs = [&](const std::string& query) {
    std::vector<uint64_t> list;
    for (const auto& [doc, score] : ScoresOf(searcher, query)) list.push_back(doc);
    return list;
  };
  using testing::ElementsAre;
  EXPECT_THAT(docs("k:Äpfel~1"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(docs("k:Äpfel~0"), ElementsAre(0));
  EXPECT_THAT(docs("k:/.pfel/"), ElementsAre(0, 1, 2));
  EXPECT_THAT(docs("k:/[Ää]pfel/"), ElementsAre(0, 1));
  EXPECT_THAT(docs("k:/()/"), ElementsAre(4));
  EXPECT_THAT(docs("k:\"pfel\"~3"), ElementsAre(3));
  EXPECT_THAT(docs("k:p~"), ElementsAre(4)) << "an empty keyword is one edit from a letter";
  EXPECT_FALSE(searcher.Search("k:pfel~3", {}).ok());
  EXPECT_FALSE(searcher.Search("k:/(/", {}).ok());
}

}  // namespace keyword_expansion_test
}  // namespace pmdex
