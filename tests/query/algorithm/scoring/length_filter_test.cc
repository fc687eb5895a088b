// Compares the documents that pass the length filter with the scores of the exhaustive evaluator.
#include "query/algorithm/scoring/length_filter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/algorithm/scoring/candidate_batch.h"
#include "query/algorithm/scoring/open_query.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace length_filter_test {

constexpr uint32_t kDocs = 12000;
constexpr double kSlack = 1e-6;

class LengthFilterTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  void Open(const std::string& text, SimilarityKind similarity = SimilarityKind::kBm25) {
    plan_ = std::make_unique<Plan>(Bind(text, similarity));
    auto clauses = OpenClauses(*Flatten(*plan_->root), context_);
    ASSERT_TRUE(clauses.ok()) << clauses.status();
    clauses_ = *std::move(clauses);
    leaves_.clear();
    for (const OpenClause& clause : clauses_) {
      for (const auto& leaf : clause.leaves) leaves_.push_back(leaf.get());
    }
    for (Leaf* leaf : leaves_) leaf->PrepareBounds();
  }
  std::vector<uint32_t> Present(uint32_t window) const {
    std::vector<uint32_t> present;
    for (uint32_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i]->Bound(window) > 0) present.push_back(i);
    }
    return present;
  }
  // Of the documents that score `needed`, all that a leaf has pass it.
  void ExpectPasses(std::span<const ScoredDoc> ranked, float needed, uint32_t window) {
    LengthFilter filter(leaves_, kSlack);
    const std::vector<uint32_t> present = Present(window);
    double bound = 0;
    for (const uint32_t i : present) bound += leaves_[i]->Bound(window);
    for (const uint32_t i : present) {
      WindowBits bits, plain, all;
      if (!filter.FillPassing(i, window, needed, present, bits)) continue;
      const double others = bound - leaves_[i]->Bound(window);
      leaves_[i]->FillPassing(window, WithoutOthers(needed, others, kSlack), plain);
      leaves_[i]->Fill(window, all);
      by_length_ += bits.Count();
      by_window_ += plain.Count();
      WindowBits reached;
      for (const ScoredDoc& hit : ranked) {
        if (hit.score >= needed && hit.doc / kWindowDocs == window) {
          reached.Set(static_cast<uint32_t>(hit.doc % kWindowDocs));
        }
      }
      reached.And(all);
      reached.AndNot(bits);
      ASSERT_EQ(reached.Count(), 0u) << "leaf " << i << " window " << window;
    }
  }

  CursorContext damage_{kDocs, "segment", absl::OkStatus()};
  SharedExpansions expansions_;
  LeafContext context_{*snapshot_->segments()[0], 0, BestQueryKernels(), damage_, expansions_};
  std::unique_ptr<Plan> plan_;
  std::vector<OpenClause> clauses_;
  std::vector<Leaf*> leaves_;
  uint64_t by_length_ = 0;  // documents that passed
  uint64_t by_window_ = 0;  // the same without lengths
};

TEST_F(LengthFilterTest, LetsPassWhatReachesTheScoreAndFewerThanBoundsOfWindows) {
  for (const char* text : {"body:t1 body:t3", "body:t2 body:t4 title:t0", "body:t0 body:t5 body:t6",
                           "body:t3^4 body:t2 title:t1", "body:t2^0 body:t1"}) {
    for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
      SCOPED_TRACE(text);
      ASSERT_NO_FATAL_FAILURE(Open(text, kind));
      const auto ranked = SearchExhaustively(*plan_, kDocs);
      ASSERT_TRUE(ranked.ok());
      for (const size_t rank : {size_t{0}, size_t{10}, size_t{300}, ranked->docs.size() / 2}) {
        for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
          ASSERT_NO_FATAL_FAILURE(ExpectPasses(ranked->docs, ranked->docs[rank].score, window));
        }
      }
    }
  }
  EXPECT_LT(by_length_, by_window_ / 10 * 9);
}

TEST_F(LengthFilterTest, LeavesToOthersWhereItDoesNotPay) {
  const auto fills = [this](const char* text) {
    Open(text);
    LengthFilter filter(leaves_, kSlack);
    WindowBits bits;
    const bool filled = filter.FillPassing(0, 1, 1.0f, Present(1), bits);
    EXPECT_TRUE(filled || bits.Count() == 0);
    return filled;
  };
  EXPECT_TRUE(fills("body:t0 body:t1"));
  EXPECT_TRUE(fills("body:t0 body:t1 title:t1"));
  EXPECT_FALSE(fills("body:t0")) << "no others";
  EXPECT_FALSE(fills("body:t0 title:t1")) << "lengths of different fields";
  EXPECT_FALSE(fills("body:\"t0 t1\" body:t1")) << "a phrase";
  EXPECT_FALSE(fills("title:t11 title:t0")) << "few postings";
  EXPECT_FALSE(fills("body:t0 body:t1 body:t2 body:t3")) << "many leaves";
}

}  // namespace length_filter_test
}  // namespace pmdex
