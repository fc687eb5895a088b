// Tests that candidates of several windows in common batches get the scores of the exhaustive
// evaluator.
#include "query/algorithm/scoring/candidate_queue.h"

#include <memory>
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
    plan_ = std::make_unique<Plan>(Bind(text));
    auto clauses = OpenClauses(*Flatten(*plan_->root), context_);
    ASSERT_TRUE(clauses.ok()) << clauses.status();
    clauses_ = *std::move(clauses);
  }
  void Expect(CandidateQueue& queue, uint32_t window) {
    uint32_t row = 0;
    for (const OpenClause& clause : clauses_) {
      if (clause.occur == Occur::kMustNot) continue;
      for (const auto& leaf : clause.leaves) queue.Expect(row++, leaf->Bound(window));
    }
  }
  void PrepareBounds() {
    for (const OpenClause& clause : clauses_) {
      for (const auto& leaf : clause.leaves) leaf->PrepareBounds();
    }
  }

  CursorContext damage_{kDocs, "segment", absl::OkStatus()};
  SharedExpansions expansions_;
  LeafContext context_{*snapshot_->segments()[0], 0, BestQueryKernels(), damage_, expansions_};
  std::unique_ptr<Plan> plan_;
  std::vector<OpenClause> clauses_;
};

TEST_F(CandidateQueueTest, EqualsTheOracleWhereverItIsToldToFinish) {
  SeededRandom random(5);
  for (const char* text : {"body:t2 body:t5", "body:t11 body:t9 title:t8", "+body:t1 +body:t4",
                           "+body:t3 -title:t0 body:t10", "+(body:t7 body:t8) body:t0"}) {
    SCOPED_TRACE(text);
    ASSERT_NO_FATAL_FAILURE(Open(text));
    PrepareBounds();
    for (const size_t k : {1, 10, 200}) {
      TopK top(k);
      CandidateQueue queue(clauses_, 1000, false, top);
      for (DocId doc = 0; doc < kDocs; ++doc) {
        if (doc % kWindowDocs == 0) Expect(queue, doc / kWindowDocs);
        queue.Add(doc);
        if (random.OneIn(300)) queue.Finish();
      }
      queue.Finish();
      const auto expected = SearchExhaustively(*plan_, k);
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
  CandidateQueue queue(clauses_, 0, true, top);
  Expect(queue, 0);
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
