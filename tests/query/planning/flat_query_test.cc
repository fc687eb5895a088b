#include "query/planning/flat_query.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "tests/support/random_corpus.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace flat_query_test {

class FlatQueryTest : public testing::Test {
 protected:
  FlatQueryTest()
      : directory_(NewDramDirectory("flat")), snapshot_(WriteWindowedIndex(*directory_, {50})) {}

  // "must 2, should 1": the clauses with the number of their leaves; "nothing".
  std::string ShapeOf(const std::string& text) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    const auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25);
    EXPECT_TRUE(binding.ok()) << binding.status();
    const auto flat = Flatten(*binding->root);
    if (flat.empty()) return "nothing";
    std::string shape;
    for (const FlatClause& clause : flat) {
      const char* names[] = {"should", "must", "not"};
      shape += (shape.empty() ? "" : ", ") + std::string(names[static_cast<int>(clause.occur)]) +
               " " + std::to_string(clause.leaves.size());
    }
    return shape;
  }

  std::unique_ptr<Directory> directory_;
  std::shared_ptr<const Snapshot> snapshot_;
};

TEST_F(FlatQueryTest, KeepsTheOrderOfClauses) {
  EXPECT_EQ(ShapeOf("body:t0"), "must 1");
  EXPECT_EQ(ShapeOf("body:t0 body:t1"), "should 1, should 1");
  EXPECT_EQ(ShapeOf("body:t2 +body:t1 -title:t0"), "should 1, must 1, not 1");
}

TEST_F(FlatQueryTest, TakesAUnionForOneClause) {
  EXPECT_EQ(ShapeOf("+t0 +t1"), "must 2, must 2");  // two fields each
  EXPECT_EQ(ShapeOf("+body:t0 (body:t1 body:\"t0 t1\" body:t*)"), "must 1, should 3");
  EXPECT_EQ(ShapeOf("-body:t0"), "must 1, not 1");       // everything without it
  EXPECT_EQ(ShapeOf("+t0 +(t1 t2)"), "must 2, must 4");  // two sums of two fields
}

TEST_F(FlatQueryTest, TakesADeeperGroupForALeaf) {
  EXPECT_EQ(ShapeOf("body:t0 (+body:t1 +body:t2)"), "should 1, should 1");
  EXPECT_EQ(ShapeOf("body:t0 (body:t1 (body:t2 (body:t3 body:t4)))"), "should 1, should 3");
  EXPECT_EQ(ShapeOf("body:t0 -(body:t1 (+body:t2 +body:t3))"), "should 1, not 2");
  EXPECT_EQ(ShapeOf("body:t0 +(t1 (+t2 body:t3))"), "should 1, must 3");
}

TEST_F(FlatQueryTest, HasNothingToSayOfWhatMatchesNothing) {
  EXPECT_EQ(ShapeOf("body:nowhere"), "nothing");
}

// The oracle looks each word up in each segment.
TEST_F(FlatQueryTest, FindsTheSegmentsWithTheRequiredWords) {
  constexpr size_t kSegments = 70;
  SeededRandom random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<BoundQuery> words(5);
    for (BoundQuery& word : words) {
      word.kind = random.Below(4) != 0 ? BoundKind::kTerm : BoundKind::kPrefix;
      TermEntries& entries = word.terms.emplace_back().entries;
      entries.Resize(kSegments);
      for (size_t i = 0; i < kSegments; ++i) {
        if (random.Below(2) == 0) entries.Set(i, DictionaryEntry{});
      }
      if (random.Below(3) != 0 || word.kind != BoundKind::kTerm) continue;
      word.kind = BoundKind::kPhrase;
      word.terms.emplace_back().entries.Resize(kSegments);
      for (size_t i = 0; i < kSegments; i += 3) word.terms[1].entries.Set(i, DictionaryEntry{});
    }
    std::vector<FlatClause> clauses(3);
    for (FlatClause& clause : clauses) {
      clause.occur = static_cast<Occur>(random.Below(4));
      for (size_t i = 0; i <= random.Below(3); ++i) {
        clause.leaves.push_back({&words[random.Below(words.size())], 0});
      }
    }
    const auto has_words = [](const FlatLeaf& leaf, size_t segment) {
      return leaf.query->kind == BoundKind::kPrefix ||
             std::all_of(leaf.query->terms.begin(), leaf.query->terms.end(),
                         [&](const BoundTerm& term) { return term.entries[segment] != nullptr; });
    };
    const SegmentSet found = FindCandidateSegments(clauses, kSegments);
    for (size_t segment = 0; segment < kSegments; ++segment) {
      bool expected = true;
      for (const FlatClause& clause : clauses) {
        expected = expected &&
                   (!IsRequired(clause.occur) ||
                    std::any_of(clause.leaves.begin(), clause.leaves.end(),
                                [&](const FlatLeaf& leaf) { return has_words(leaf, segment); }));
      }
      ASSERT_EQ(found.Has(segment), expected);
    }
  }
}

}  // namespace flat_query_test
}  // namespace pmdex
