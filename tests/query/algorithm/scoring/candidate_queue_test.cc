// Tests that candidates of several windows in common batches get the scores of the exhaustive
// evaluator.
#include "query/algorithm/scoring/candidate_queue.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "tests/support/random_corpus.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace candidate_queue_test {

constexpr uint32_t kDocs = 30000;

class CandidateQueueTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  void Open(const std::string& text) {
    binding_ = std::make_unique<QueryBinding>(Bind(text));
    auto query = OpenClauses(Flatten(*binding_->root), context_);
    ASSERT_TRUE(query.ok()) << query.status();
    query_.emplace(*std::move(query));
  }
  void SetBounds(CandidateQueue& queue, uint32_t window) {
    uint32_t number = 0;
    for (const ScoringLeaf& leaf : query_->scoring_leaves()) {
      queue.SetBound(number++, leaf.leaf->Bound(window));
    }
  }
  void PrepareBounds() {
    for (const ScoringLeaf& leaf : query_->scoring_leaves()) leaf.leaf->PrepareBounds();
  }

  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
  std::unique_ptr<QueryBinding> binding_;
  std::optional<OpenQuery> query_;
};

TEST_F(CandidateQueueTest, EqualsTheOracleWhereverItIsToldToFinish) {
  SeededRandom random(5);
  for (const char* text : {"body:t2 body:t5", "body:t11 body:t9 title:t8", "+body:t1 +body:t4",
                           "+body:t3 -title:t0 body:t10", "+(body:t7 body:t8) body:t0"}) {
    SCOPED_TRACE(text);
    ASSERT_NO_FATAL_FAILURE(Open(text));
    PrepareBounds();
    context_.doc_base = 1000;
    for (const size_t k : {1, 10, 200}) {
      TopK top(k);
      CandidateQueue queue({context_, *query_, top});
      for (DocId doc = 0; doc < kDocs; ++doc) {
        if (doc % kWindowDocs == 0) SetBounds(queue, doc / kWindowDocs);
        queue.Add(doc);
        if (random.OneIn(300)) queue.Finish();
      }
      queue.Finish();
      const auto expected = SearchExhaustively(*binding_, k);
      ASSERT_TRUE(expected.ok());
      const std::vector<ScoredDoc> found = top.Take();
      ASSERT_EQ(found.size(), expected->docs.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].doc, expected->docs[i].doc + 1000) << i << " of " << k;
        ASSERT_EQ(found[i].score, expected->docs[i].score) << i << " of " << k;
      }
    }
  }
}

TEST_F(CandidateQueueTest, WaitsForAFullBatchOrToBeTold) {
  ASSERT_NO_FATAL_FAILURE(Open("body:t0 body:t1"));
  PrepareBounds();
  TopK top(1000);
  CandidateQueue queue({context_, *query_, top, /*scores_all=*/true});
  SetBounds(queue, 0);
  for (DocId doc = 0; doc + 1 < CandidateBatch::kMost; ++doc) EXPECT_FALSE(queue.Add(doc));
  EXPECT_EQ(queue.size(), CandidateBatch::kMost - 1);
  EXPECT_EQ(queue.scored(), 0u);
  EXPECT_TRUE(queue.Add(CandidateBatch::kMost));
  EXPECT_EQ(queue.size(), 0u);
  const uint64_t scored = queue.scored();
  EXPECT_GT(scored, 0u);
  EXPECT_FALSE(queue.Add(kWindowDocs));
  queue.Finish();
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace candidate_queue_test
}  // namespace pmdex
