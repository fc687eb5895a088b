// The search of one term's postings against the exhaustive search.
#include "query/algorithm/term_search.h"

#include <chrono>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace term_search_test {

constexpr uint32_t kDocs = 30000;
constexpr uint64_t kDocBase = 700;

class TermSearchTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  PostingListView ListOf(const QueryBinding& binding) {
    const auto list = segment().Postings(*binding.root->terms[0].entries[0]);
    EXPECT_TRUE(list.ok()) << list.status();
    return *list;
  }

  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           kDocBase,
                          BestQueryKernels(), expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_F(TermSearchTest, EqualsTheOracleForEveryKindOfList) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    for (int rank = 0; rank < 12; ++rank) {
      for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
        const QueryBinding binding = Bind("body:t" + std::to_string(rank), similarity);
        SCOPED_TRACE(rank);
        const PostingListView list = ListOf(binding);
        for (const size_t k : {1, 10, 200, 5000}) {
          const auto expected = SearchExhaustively(binding, k);
          ASSERT_TRUE(expected.ok());
          TopK top(k);
          const uint64_t scored = SearchPostings(list, binding.root->scorer, context_, top);
          EXPECT_LE(scored, list.df);
          const std::vector<ScoredDoc> found = top.Take();
          ASSERT_EQ(found.size(), expected->docs.size());
          for (size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].doc, expected->docs[i].doc + kDocBase) << i << " of " << k;
            ASSERT_EQ(found[i].score, expected->docs[i].score) << i << " of " << k;
          }
        }
      }
    }
    EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
  });
}

TEST_F(TermSearchTest, ScoresFewDocumentsOfALongList) {
  const QueryBinding binding = Bind("body:t0");
  const PostingListView list = ListOf(binding);
  TopK top(10);
  EXPECT_LT(SearchPostings(list, binding.root->scorer, context_, top), list.df / 10);
}

TEST_F(TermSearchTest, ReportsDocidsBeyondTheSegment) {
  for (const char* text : {"body:t0", "body:t5", "body:t11"}) {
    const QueryBinding binding = Bind(text);
    context_.cursor = {/*doc_count=*/1, "segment", absl::OkStatus()};
    TopK top(10);
    SearchPostings(ListOf(binding), binding.root->scorer, context_, top);
    EXPECT_TRUE(absl::IsDataLoss(context_.cursor.damage)) << text;
    for (const ScoredDoc& doc : top.Take()) EXPECT_EQ(doc.doc, kDocBase);
  }
}

TEST_F(TermSearchTest, EndsAtTheDeadline) {
  const QueryBinding binding = Bind("body:t0");
  context_.cursor.deadline = std::chrono::steady_clock::time_point::min();
  TopK top(10);
  EXPECT_EQ(SearchPostings(ListOf(binding), binding.root->scorer, context_, top), 0u);
  EXPECT_TRUE(context_.cursor.timed_out);
}

TEST_F(TermSearchTest, SearchesTheSegmentOfAPlan) {
  const QueryBinding binding = Bind("title:t9");
  const SearchPlan plan = PlanSearch(binding, {});
  ASSERT_EQ(plan.algorithm, Algorithm::kSingleTerm);
  TopK top(10);
  PrunedDocs result;
  ASSERT_TRUE(SearchTerm({binding, plan}, 0, top, result).ok());
  EXPECT_FALSE(result.timed_out);
  const auto expected = SearchExhaustively(binding, 10);
  const std::vector<ScoredDoc> found = top.Take();
  ASSERT_EQ(found.size(), expected->docs.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].doc, expected->docs[i].doc);
}

}  // namespace term_search_test
}  // namespace pmdex
