// Compares the search along a rare term's postings with the exhaustive evaluator, in pieces and in
// ranges of windows.
#include "query/algorithm/lead_search.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace lead_search_test {

constexpr uint32_t kDocs = 20000;
constexpr float kAnything = -std::numeric_limits<float>::infinity();

class LeadSearchTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  OpenQuery Open(const QueryBinding& binding) {
    auto query = OpenClauses(Flatten(*binding.root), context_);
    EXPECT_TRUE(query.ok()) << query.status();
    return *std::move(query);
  }
  // The scoring leaf that the planner lets lead, if any.
  static std::optional<uint32_t> LeadOf(const OpenQuery& query) {
    SearchPlan plan;
    plan.algorithm = Algorithm::kMaxScoreWindows;
    const SegmentSearchPlan segment = PlanSegmentSearch(plan, query.Describe());
    if (segment.algorithm != Algorithm::kLeadList) return std::nullopt;
    return query.FirstLeafOf(segment.lead);
  }

  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_F(LeadSearchTest, IsLedByTheRarestRequiredTermWithDocids) {
  const auto lead_of = [this](const char* text) {
    const QueryBinding binding = Bind(text);
    return LeadOf(Open(binding));
  };
  EXPECT_EQ(lead_of("+title:t8 +body:t0 +title:t10"), 2u);
  EXPECT_EQ(lead_of("+title:t8 body:t0 title:t10"), 0u);
  EXPECT_FALSE(lead_of("title:t10 title:t9").has_value()) << "not required";
  EXPECT_FALSE(lead_of("+body:t0 +body:t1").has_value()) << "bits";
  EXPECT_FALSE(lead_of("+(title:t9 title:t10) +body:t1").has_value()) << "several leaves";
}

TEST_F(LeadSearchTest, EqualsTheOracleWhateverPiecesItIsAskedFor) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    for (const char* text :
         {"+title:t8 +body:t0", "+title:t8 +body:t1 +body:t2", "+title:t9 body:t0 body:t3",
          "+title:t8 -body:t1", "+title:t8 -title:t9 +title:t1", "+title:t9 +body:\"t0 t1\"",
          "+title:t8 +(body:t2 body:t3)", "+title:t9 +body:t1*", "+title:t10 +title:t0",
          "+title:t9 +title:t8"}) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 1000}) {
        const auto expected = SearchExhaustively(binding, k);
        ASSERT_TRUE(expected.ok());
        TopK top(k);
        const OpenQuery query = Open(binding);
        const auto lead = LeadOf(query);
        ASSERT_TRUE(lead.has_value());
        LeadSearch search({context_, query, top}, *lead);
        for (const float part : {0.8f, 0.5f}) {
          const auto [begin, end] = search.Postings(0, 0xffffffff);
          search.Search(begin, end, part * search.bound());
        }
        for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {  // the rest, in pieces
          const auto [begin, end] = search.Postings(window, window + 1);
          const uint32_t middle = begin + (end - begin) / 3;
          search.Search(begin, middle, kAnything);
          search.Search(middle, end, kAnything);
        }
        ExpectSame(top.Take(), expected->docs);
        EXPECT_LE(search.scored(), expected->total);
        if (!expected->docs.empty()) {
          EXPECT_GE(search.bound(), expected->docs[0].score);
        }
      }
    }
    EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
  });
}

TEST_F(LeadSearchTest, KnowsHowManyMatchWhereWholeListsDecide) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    const auto kept = [this](const char* text, bool is_known) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      const auto expected = SearchExhaustively(binding, 10);
      ASSERT_TRUE(expected.ok());
      TopK top(10);
      const OpenQuery query = Open(binding);
      const auto lead = LeadOf(query);
      ASSERT_TRUE(lead.has_value());
      LeadSearch search({context_, query, top}, *lead);
      const std::optional<uint64_t> matches = search.CountCommonDocs();
      ASSERT_EQ(matches.has_value(), is_known);
      EXPECT_EQ(matches.value_or(expected->total), expected->total);
      const auto [begin, end] = search.Postings(0, 0xffffffff);
      search.Search(begin, end, kAnything);
      ExpectSame(top.Take(), expected->docs);
    };
    kept("+title:t8 +body:t0", true);
    kept("+title:t8 +body:t1 +body:t2", true);
    kept("+title:t8 +body:t1 body:t2 title:t9", true);
    kept("+title:t8 +title:t9", true);
    kept("+title:t8 +title:t9 +body:t1 body:t3", true);
    kept("+title:t8", false);
    kept("+title:t8 +(body:t1 body:t2)", false);
    kept("+title:t8 +body:t1 -body:t2", false);
  });
}

TEST_F(LeadSearchTest, FindsAtLeastWhatScoresAsMuchAsAskedFor) {
  const QueryBinding binding = Bind("+title:t8 +body:t0");
  const auto all = SearchExhaustively(binding, kDocs);
  ASSERT_TRUE(all.ok());
  for (const float part : {0.9f, 0.7f, 0.4f}) {
    TopK top(kDocs);
    const OpenQuery query = Open(binding);
    LeadSearch search({context_, query, top}, 0);
    const float asked = part * all->docs[0].score;
    const auto [begin, end] = search.Postings(0, 0xffffffff);
    search.Search(begin, end, asked);
    const std::vector<ScoredDoc> found = top.Take();
    size_t expected = 0;
    while (expected < all->docs.size() && all->docs[expected].score >= asked) ++expected;
    ASSERT_GE(found.size(), expected);
    for (size_t i = 0; i < expected; ++i) EXPECT_EQ(found[i].doc, all->docs[i].doc);
    if (part == 0.9f) {
      EXPECT_LT(found.size(), all->docs.size() / 2) << "and leaves out most others";
    }
  }
}

}  // namespace lead_search_test
}  // namespace pmdex
