// Tests what every leaf promises (query/algorithm/leaf.h), on an index of several windows, by
// comparing it with the cursors of the exhaustive evaluator.
#include "query/algorithm/leaf/leaf.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

#include "query/algorithm/leaf/constant_leaf.h"
#include "query/algorithm/leaf/constant_score_leaf.h"
#include "query/algorithm/leaf/group_leaf.h"
#include "query/algorithm/leaf/leaf_factory.h"
#include "query/algorithm/leaf/listed_leaf.h"
#include "query/algorithm/leaf/max_leaf.h"
#include "query/algorithm/leaf/phrase_leaf.h"
#include "query/algorithm/leaf/term_leaf.h"
#include "query/algorithm/leaf/term_postings.h"
#include "query/cursor/open_cursor.h"
#include "query/language/query_parser.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace leaf_test {

constexpr uint32_t kDocs = 12000;

std::unique_ptr<Query> Parse(const std::string& text) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
  const std::vector<std::string> fields = {"body", "title"};
  auto query = QueryParser(*analyzer, fields).Parse(text);
  EXPECT_TRUE(query.ok()) << query.status();
  return *std::move(query);
}

// A query of the language, or a combination that the language does not have: its kind, a number,
// and its parts, divided by bars.
std::unique_ptr<Query> ParseCase(const std::string& text) {
  std::vector<std::string> parts = absl::StrSplit(text, " | ");
  if (parts.size() == 1) return Parse(text);
  const std::vector<std::string> head = absl::StrSplit(parts[0], ' ');
  auto query = std::make_unique<Query>();
  query->kind = head[0] == "max"        ? QueryKind::kDisjunctionMax
                : head[0] == "constant" ? QueryKind::kConstantScore
                                        : QueryKind::kBoolean;
  Occur occur = Occur::kShould;
  if (head[0] == "max") query->tie_breaker = std::stof(head[1]);
  if (head[0] == "constant") query->boost = std::stof(head[1]);
  if (head[0] == "least") {
    query->minimum_should_match = static_cast<uint32_t>(std::stoul(head[1]));
  }
  if (head[0] == "filter") occur = Occur::kFilter;
  for (size_t i = 1; i < parts.size(); ++i) {
    query->clauses.push_back({i == 1 ? occur : Occur::kShould, Parse(parts[i])});
    if (parts[i].back() != '"' || head[0] != "prefix") continue;
    query = std::move(query->clauses[0].query);  // of terms that end in digits, without the last
    query->kind = QueryKind::kPhrasePrefix;
    query->terms.back().pop_back();
    return query;
  }
  return query;
}

class LeafTest : public WindowedIndexTest<testing::TestWithParam<const char*>, kDocs> {
 protected:
  static QueryBinding Bind(const std::string& text,
                           SimilarityKind similarity = SimilarityKind::kBm25) {
    auto binding = BindQuery(*ParseCase(text), *snapshot_, similarity);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return *std::move(binding);
  }
  // Every match with its score, by the cursor.
  std::map<DocId, float> Expected(const QueryBinding& binding) {
    std::map<DocId, float> scores;
    CursorContext walk{kDocs, "segment", absl::OkStatus()};
    const auto cursor = OpenCursor(*binding.root, segment(), 0, walk);
    EXPECT_TRUE(cursor.ok()) << cursor.status();
    for (DocId doc = (*cursor)->doc(); doc != kEndOfDocs; doc = (*cursor)->Next()) {
      scores[doc] = (*cursor)->Score();
    }
    return scores;
  }

  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_P(LeafTest, FillsWindowsWithItsDocumentsInAnyOrder) {
  const QueryBinding binding = Bind(GetParam());
  const std::map<DocId, float> expected = Expected(binding);
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  for (const uint32_t window : {2u, 0u, 1u, 1u, 2u}) {
    WindowBits bits;
    (*leaf)->Fill(window, bits);
    uint32_t count = 0;
    for (const auto& [doc, score] : expected) count += doc / kWindowDocs == window ? 1 : 0;
    EXPECT_EQ(bits.Count(), count);
    bits.ForEach([&, window = window](uint32_t doc) {
      EXPECT_TRUE(expected.contains(window * kWindowDocs + doc));
      return true;
    });
    WindowBits all;
    for (uint64_t& word : all.words) word = ~uint64_t{0};
    (*leaf)->Retain(window, all);
    EXPECT_EQ(all.words, bits.words);
    EXPECT_LE((*leaf)->FirstWindowFrom(window), count > 0 ? window : 3u);
  }
  EXPECT_TRUE(context_.cursor.damage.ok());
}

TEST_P(LeafTest, ScoresAsTheCursorDoes) {
  const QueryBinding binding = Bind(GetParam());
  const std::map<DocId, float> expected = Expected(binding);
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  // Next to each other, and far apart.
  for (const DocId step : {1u, 17u, 700u}) {
    for (DocId first = 0; first < kDocs; first += step * Leaf::kBatch) {
      std::vector<DocId> docs;
      for (DocId doc = first; doc < kDocs && docs.size() < Leaf::kBatch; doc += step) {
        docs.push_back(doc);
      }
      Leaf::ScoreArray needed{}, scores, again;
      (*leaf)->ScoreDocs(docs, needed, scores);
      for (size_t i = 0; i < docs.size(); ++i) {
        const auto match = expected.find(docs[i]);
        ASSERT_EQ(scores[i], match == expected.end() ? Leaf::kNoMatch : match->second) << docs[i];
        if (match == expected.end()) continue;
        ASSERT_LE(scores[i], (*leaf)->SegmentBound());
        needed[i] = i % 2 == 0 ? scores[i] : scores[i] * 1.5f;
      }
      (*leaf)->ScoreDocs(docs, needed, again);
      for (size_t i = 0; i < docs.size(); ++i) {
        ASSERT_TRUE(again[i] == scores[i] || (i % 2 != 0 && again[i] == Leaf::kTooLow)) << docs[i];
      }
    }
  }
  EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
}

TEST_P(LeafTest, HasABitForEachOfItsDocumentsOrNone) {
  const QueryBinding binding = Bind(GetParam());
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  const uint64_t* bits = (*leaf)->MemberBits();
  if (bits == nullptr) return;
  if ((*leaf)->term_postings() != nullptr) {
    EXPECT_FALSE((*leaf)->term_postings()->has_docids());
  }
  const std::map<DocId, float> expected = Expected(binding);
  for (DocId doc = 0; doc < kDocs; ++doc) {
    ASSERT_EQ(bits[doc / 64] >> (doc % 64) & 1, expected.count(doc));
  }
}

TEST_P(LeafTest, BoundsEveryScoreOfAWindowAndLetsPassWhatReachesAScore) {
  for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const QueryBinding binding = Bind(GetParam(), similarity);
    const std::map<DocId, float> expected = Expected(binding);
    const auto leaf = OpenLeaf(*binding.root, context_);
    ASSERT_TRUE(leaf.ok()) << leaf.status();
    (*leaf)->PrepareBounds();
    for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
      for (const float part : {0.0f, 0.3f, 0.7f, 0.95f}) {
        const float needed = part * (*leaf)->Bound(window);
        WindowBits passing;
        (*leaf)->FillCompetitive(window, needed, passing);
        WindowSums sums;
        sums.of.fill(0);
        (*leaf)->AddScores(window, sums);
        for (const auto& [doc, score] : expected) {
          if (doc / kWindowDocs != window) continue;
          const uint32_t here = doc % kWindowDocs;
          ASSERT_LE(score, (*leaf)->Bound(window));
          ASSERT_GE(sums.of[here], score);
          if (score >= needed) {
            ASSERT_NE(passing.words[here / 64] >> (here % 64) & 1, 0u);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LeafTest,
                         testing::Values("body:t0", "body:t3", "body:t8", "body:t11", "title:t9",
                                         "body:\"t0 t1\"", "body:\"t1 t0 t1 t2\"",
                                         "body:\"t2 t1\"~3", "body:t1*", "title:*", "*:*"));

// As leaves: `(+body:t0 +body:t3) other`.
INSTANTIATE_TEST_SUITE_P(
    Groups, LeafTest,
    testing::Values("+body:t0 +body:t3", "+body:t8 +body:t1 body:t0", "body:t4 body:t9 title:t2",
                    "+body:t1 -body:t0", "body:t2 -title:t1", "+(+body:t0 +body:t5) -body:t2",
                    "+body:t0^0 +body:t3^0", "+body:\"t0 t1\" +title:t1", "+*:* +body:t11",
                    "body:t0 (+body:t1 +(body:t2 -body:t3)) (+title:t1 +body:t1*)"));

INSTANTIATE_TEST_SUITE_P(
    Combinations, LeafTest,
    testing::Values("max 0 | body:t0 | body:t3", "max 0.3 | body:t8 | title:t1 | body:t0",
                    "max 0.99 | body:t0 body:t3 | title:t0 title:t3", "max 0 | body:t1* | body:t9",
                    "max 0.5 | body:\"t0 t1\" | title:t2", "max 0 | +body:t0 +body:t5 | title:t1",
                    "max 0.2 | body:t0^0 | body:t4^0", "constant 2.5 | body:t0",
                    "constant 0.1 | +body:t0 -body:t3", "constant 3 | body:\"t0 t1\"",
                    "least 2 | body:t0 | body:t3 | title:t1", "filter 0 | body:t1 | body:t0",
                    "least 3 | body:t0 | body:t1 | body:t2 | body:t1*",
                    "filter 0 | body:t1 body:t4 | title:t0 | body:\"t0 t1\"",
                    "prefix 0 | body:\"t0 t11\"", "prefix 0 | body:\"t1 t2 t11\"~2"));

class LeafKinds : public LeafTest {};

TEST_P(LeafKinds, ListsThePhrasePrefixesAndMakesALeafOfEachCombination) {
  const auto opens = [&]<typename L>(const char* text, L*) {
    const QueryBinding binding = Bind(text);
    const auto leaf = OpenLeaf(*binding.root, context_);
    return leaf.ok() && dynamic_cast<L*>(leaf->get()) != nullptr;
  };
  EXPECT_TRUE(opens("prefix 0 | body:\"t0 t11\"", static_cast<ListedLeaf*>(nullptr)));
  EXPECT_TRUE(opens("max 0 | body:t0 | body:t3", static_cast<MaxLeaf*>(nullptr)));
  EXPECT_TRUE(opens("constant 2 | body:t0", static_cast<ConstantScoreLeaf*>(nullptr)));
}

INSTANTIATE_TEST_SUITE_P(Once, LeafKinds, testing::Values(""));

TEST(LengthsOfTests, CoverSeveralWindows) {
  EXPECT_EQ(WindowCount(kDocs), 3u);
}

}  // namespace leaf_test
}  // namespace pmdex
