// The order of segments against the scores of the exhaustive search.
#include "query/algorithm/segment_order.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace segment_order_test {

constexpr float kUnknown = std::numeric_limits<float>::infinity();

// In segments of so few documents few lists have escapes, so that most bounds are known.
class SegmentOrder : public WindowedIndexTest<testing::Test, 90, 2500, 30, 700, 5> {
 protected:
  static std::vector<OrderedSegment> OrderOf(const QueryBinding& binding) {
    const SearchPlan plan = PlanSearch(binding, {});
    return OrderSegments({binding, plan});
  }

  // The best score in each segment; 0 where nothing matches.
  static std::vector<float> BestScores(const QueryBinding& binding) {
    const Snapshot& snapshot = *binding.snapshot;
    std::vector<float> best(snapshot.segments().size(), 0);
    const auto all = SearchExhaustively(binding, snapshot.doc_count());
    EXPECT_TRUE(all.ok()) << all.status();
    for (const ScoredDoc& doc : all->docs) {
      size_t i = best.size() - 1;
      while (snapshot.doc_base(i) > doc.doc) --i;
      best[i] = std::max(best[i], doc.score);
    }
    return best;
  }
};

TEST_F(SegmentOrder, BeginsWithTheSegmentThatPromisesMost) {
  for (const char* text : {"body:t0", "body:t10", "body:t11 title:t11", "t3 t9", "+body:t8 +t2",
                           "body:t11^3 -body:t0 t7^0.5"}) {
    for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text, similarity);
      const std::vector<OrderedSegment> order = OrderOf(binding);
      const std::vector<float> best = BestScores(binding);
      std::vector<size_t> found;
      size_t known = 0;
      for (size_t i = 0; i < order.size(); ++i) {
        found.push_back(order[i].segment);
        EXPECT_GE(order[i].bound, best[order[i].segment]) << order[i].segment;
        EXPECT_TRUE(i == 0 || order[i - 1].bound >= order[i].bound);
        known += order[i].bound != kUnknown ? 1 : 0;
      }
      EXPECT_GE(known, 2u);  // of segments where no frequency of the term escapes
      for (size_t i = 0; i < best.size(); ++i) {
        const bool is_there = std::find(found.begin(), found.end(), i) != found.end();
        EXPECT_TRUE(is_there || best[i] == 0) << i;
      }
    }
  }
}

TEST_F(SegmentOrder, LeavesOutSegmentsThatLackARequiredWord) {
  size_t left_out = 0;
  for (int term = 0; term < 12; ++term) {
    const std::string rare = "body:t" + std::to_string(term);
    for (const std::string& text : {rare, "+" + rare + " +body:t0", "+(" + rare + " title:t0)"}) {
      const QueryBinding binding = Bind(text);
      const std::vector<float> best = BestScores(binding);
      std::vector<bool> is_there(best.size());
      for (const OrderedSegment& ordered : OrderOf(binding)) is_there[ordered.segment] = true;
      for (size_t i = 0; i < best.size(); ++i) {
        EXPECT_TRUE(is_there[i] || best[i] == 0) << text << " " << i;
        left_out += is_there[i] ? 0 : 1;
      }
    }
  }
  EXPECT_GT(left_out, 0u);
}

TEST_F(SegmentOrder, KnowsTheBestScoreOfARareTerm) {
  const QueryBinding binding = Bind("body:t10");
  const std::vector<float> best = BestScores(binding);
  for (const OrderedSegment& ordered : OrderOf(binding)) {
    const DictionaryEntry* const entry = binding.root->terms[0].entries[ordered.segment];
    if (entry != nullptr && !IsInline(entry->representation)) continue;
    EXPECT_LE(ordered.bound, best[ordered.segment] * 1.0001f + 1e-30f);
  }
}

TEST_F(SegmentOrder, IsThatOfTheIndexWhereNoBoundIsKnown) {
  for (const char* text : {"body:\"t0 t1\"", "body:t1* body:t0", "title:*", "*:*"}) {
    const std::vector<OrderedSegment> order = OrderOf(Bind(text));
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(order[i].segment, i) << text;
      EXPECT_EQ(order[i].bound, kUnknown) << text;
    }
  }
}

}  // namespace segment_order_test
}  // namespace pmdex
