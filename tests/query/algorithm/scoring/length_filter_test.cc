// Compares the documents that pass the length filter with the scores of the exhaustive evaluator.
#include "query/algorithm/scoring/length_filter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/algorithm/leaf/rounding_margin.h"
#include "query/algorithm/scoring/open_query.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace length_filter_test {

constexpr uint32_t kDocs = 12000;

class LengthFilterTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  void Open(const std::string& text, SimilarityKind similarity = SimilarityKind::kBm25) {
    binding_ = std::make_unique<QueryBinding>(Bind(text, similarity));
    auto query = OpenClauses(Flatten(*binding_->root), context_);
    ASSERT_TRUE(query.ok()) << query.status();
    query_.emplace(*std::move(query));
    for (const ScoringLeaf& leaf : leaves()) leaf.leaf->PrepareBounds();
  }
  std::span<const ScoringLeaf> leaves() const { return query_->scoring_leaves(); }
  std::vector<uint32_t> Present(uint32_t window) const {
    std::vector<uint32_t> present;
    for (uint32_t i = 0; i < leaves().size(); ++i) {
      if (leaves()[i].leaf->Bound(window) > 0) present.push_back(i);
    }
    return present;
  }
  // Of the documents that score `min_score`, all that a leaf has pass it.
  void ExpectPasses(std::span<const ScoredDoc> ranked, float min_score, uint32_t window) {
    LengthFilter filter(*query_);
    const std::vector<uint32_t> present = Present(window);
    double bound = 0;
    for (const uint32_t i : present) bound += leaves()[i].leaf->Bound(window);
    for (const uint32_t i : present) {
      WindowBits bits, plain, all;
      if (!filter.FillCompetitive(i, window, min_score, present, bits)) continue;
      const double others = bound - leaves()[i].leaf->Bound(window);
      leaves()[i].leaf->FillCompetitive(
          window, MinScoreBeside(min_score, others, query_->rounding_margin()), plain);
      leaves()[i].leaf->Fill(window, all);
      by_length_ += bits.Count();
      by_window_ += plain.Count();
      WindowBits reached;
      for (const ScoredDoc& hit : ranked) {
        if (hit.score >= min_score && hit.doc / kWindowDocs == window) {
          reached.Set(static_cast<uint32_t>(hit.doc % kWindowDocs));
        }
      }
      reached.And(all);
      reached.AndNot(bits);
      ASSERT_EQ(reached.Count(), 0u) << "leaf " << i << " window " << window;
    }
  }

  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
  std::unique_ptr<QueryBinding> binding_;
  std::optional<OpenQuery> query_;
  uint64_t by_length_ = 0;  // documents that passed
  uint64_t by_window_ = 0;  // the same without lengths
};

TEST_F(LengthFilterTest, LetsPassWhatReachesTheScoreAndFewerThanBoundsOfWindows) {
  for (const char* text : {"body:t1 body:t3", "body:t2 body:t4 title:t0", "body:t0 body:t5 body:t6",
                           "body:t3^4 body:t2 title:t1", "body:t2^0 body:t1"}) {
    for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
      SCOPED_TRACE(text);
      ASSERT_NO_FATAL_FAILURE(Open(text, kind));
      const auto ranked = SearchExhaustively(*binding_, kDocs);
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
    LengthFilter filter(*query_);
    WindowBits bits;
    const bool filled = filter.FillCompetitive(0, 1, 1.0f, Present(1), bits);
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
