// The search of one segment against the exhaustive search: in one piece, in ranges of windows, and
// by two searches that share a minimum score.
#include "query/algorithm/segment_search.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/planning/planner.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace segment_search_test {

constexpr uint32_t kDocs = 20000;
constexpr uint32_t kAllWindows = 0xffffffff;

class SegmentSearchTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  static SearchPlan PlanFor(const QueryBinding& binding, size_t k, bool count = false) {
    PlanOptions options;
    options.k = k;
    options.count = count;
    return PlanSearch(binding, options);
  }
  static std::unique_ptr<SegmentSearch> Open(const SearchContext& context, TopK& top,
                                             SharedMinScore* shared = nullptr) {
    auto search = std::make_unique<SegmentSearch>(context, 0, shared, top);
    const absl::Status opened = search->Open();
    EXPECT_TRUE(opened.ok()) << opened;
    return search;
  }
};

constexpr const char* kQueries[] = {"body:t0 body:t3",           "+body:t0 +body:t1 title:t2",
                                    "+title:t8 +body:t0",        "+title:t9 body:t0 body:t3",
                                    "+title:t8 -body:t1",        "body:t5 body:\"t0 t1\" title:t4",
                                    "+body:t0 -title:t0",        "title:t8 title:t9 -body:t3",
                                    "body:t0 title:t9 body:t11", "title:t7 body:t3 title:t11"};

TEST_F(SegmentSearchTest, EqualsTheOracleInOnePieceAndInRanges) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 500}) {
        const auto expected = SearchExhaustively(binding, k);
        ASSERT_TRUE(expected.ok());
        const SearchPlan plan = PlanFor(binding, k);
        const SearchContext context{binding, plan};
        for (const uint32_t step : {kAllWindows, 2u, 1u}) {
          TopK top(k);
          const auto search = Open(context, top);
          const uint32_t windows = WindowCount(kDocs);
          if (step == kAllWindows) search->FindCommonDocs(/*counts=*/false);
          for (uint32_t first = 0; first < windows; first += std::min(step, windows)) {
            search->Run(first, step == kAllWindows ? kAllWindows : first + step);
          }
          EXPECT_TRUE(search->damage().ok());
          EXPECT_FALSE(search->timed_out());
          EXPECT_LE(search->scored(), expected->total);
          ASSERT_NO_FATAL_FAILURE(ExpectSame(top.Take(), expected->docs));
        }
      }
    }
  });
}

TEST_F(SegmentSearchTest, EqualsTheOracleWhenTwoSearchesShareTheMinimumScore) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      constexpr size_t kWanted = 10;
      const SearchPlan plan = PlanFor(binding, kWanted);
      const SearchContext context{binding, plan};
      SharedMinScore shared;
      TopK tops[] = {TopK(kWanted), TopK(kWanted)};
      const auto even = Open(context, tops[0], &shared);
      const auto odd = Open(context, tops[1], &shared);
      for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
        (window % 2 == 0 ? even : odd)->Run(window, window + 1);
      }
      TopK all(kWanted);
      for (TopK& top : tops) {
        for (const ScoredDoc& doc : top.TakeUnsorted()) all.Add(doc);
      }
      const auto expected = SearchExhaustively(binding, kWanted);
      ASSERT_TRUE(expected.ok());
      ASSERT_NO_FATAL_FAILURE(ExpectSame(all.Take(), expected->docs));
      if (expected->docs.size() == kWanted) {
        EXPECT_LE(shared.get(), expected->docs.back().score);
      }
    }
  });
}

TEST_F(SegmentSearchTest, RunsTheAlgorithmThatThePlannerChoosesForTheSegment) {
  const auto algorithm_of = [](const char* text) {
    const QueryBinding binding = Bind(text);
    const SearchPlan plan = PlanFor(binding, 10);
    TopK top(10);
    return Open({binding, plan}, top)->algorithm();
  };
  EXPECT_EQ(algorithm_of("body:t0 body:t3"), Algorithm::kMaxScoreWindows);
  EXPECT_EQ(algorithm_of("+body:t0 +body:t1"), Algorithm::kMaxScoreWindows);
  EXPECT_EQ(algorithm_of("+title:t9 +body:t0"), Algorithm::kLeadList);
  EXPECT_EQ(algorithm_of("title:t9 title:t8"), Algorithm::kWholeLists);
  EXPECT_EQ(algorithm_of("title:t9 body:t0"), Algorithm::kWholeLists);
}

TEST_F(SegmentSearchTest, CountsTheMatchesWithTheClausesItHasOpen) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      const QueryBinding binding = Bind(text);
      const SearchPlan plan = PlanFor(binding, 10, /*count=*/true);
      TopK top(10);
      const SearchContext context{binding, plan};
      const auto search = Open(context, top);
      search->FindCommonDocs(/*counts=*/true);
      search->Run(0, kAllWindows);
      const MatchCount count = search->Count();
      EXPECT_EQ(count.count, SearchExhaustively(binding, 10)->total) << text;
      EXPECT_FALSE(count.timed_out);
      EXPECT_EQ(top.Take().size(), SearchExhaustively(binding, 10)->docs.size());
    }
  });
}

TEST_F(SegmentSearchTest, ScoresOnlyMatchesOnceItKnowsTheCommonDocuments) {
  const char* const text = "+title:t8 +body:t2";
  const QueryBinding binding = Bind(text);
  const auto expected = SearchExhaustively(binding, kDocs);
  ASSERT_TRUE(expected.ok());
  const SearchPlan plan = PlanFor(binding, kDocs);
  const SearchContext context{binding, plan};
  TopK top(kDocs);
  const auto search = Open(context, top);
  ASSERT_EQ(search->algorithm(), Algorithm::kLeadList);
  search->FindCommonDocs(/*counts=*/false);
  search->Run(0, kAllWindows);
  EXPECT_EQ(search->scored(), expected->total);
  EXPECT_EQ(search->Count().count, expected->total);
}

TEST_F(SegmentSearchTest, EndsAtTheDeadline) {
  const QueryBinding binding = Bind("body:t0 body:t3");
  const SearchPlan plan = PlanFor(binding, 10);
  const SearchContext context{binding, plan, BestQueryKernels(),
                              std::chrono::steady_clock::time_point::min()};
  TopK top(10);
  const auto search = Open(context, top);
  search->Run(0, kAllWindows);
  EXPECT_TRUE(search->timed_out());
  EXPECT_EQ(search->scored(), 0u);
}

TEST(SharedMinScore, OnlyRises) {
  SharedMinScore shared;
  shared.Raise(2);
  shared.Raise(1);
  EXPECT_EQ(shared.get(), 2);
}

// A segment of 3 documents has few of the terms.
class SmallSegmentTest : public WindowedIndexTest<testing::Test, 9000, 3> {};

TEST_F(SmallSegmentTest, HasNoAlgorithmWhereNothingCanMatch) {
  const QueryBinding binding = Bind("+title:t9 +body:t11");
  ASSERT_EQ(binding.root->kind, BoundKind::kBoolean);
  const SearchPlan plan = PlanSearch(binding, {});
  TopK top(10);
  const SearchContext context{binding, plan};
  SegmentSearch search(context, 1, nullptr, top);
  ASSERT_TRUE(search.Open().ok());
  search.Run(0, kAllWindows);
  EXPECT_EQ(search.algorithm(), Algorithm::kNone);
  EXPECT_EQ(search.scored(), 0u);
  EXPECT_EQ(search.Count().count, 0u);
}

TEST_F(SegmentSearchTest, LooksAtNothingWhereNoDocumentCanEnter) {
  WithEveryDeletions([&] {
    for (const char* text : kQueries) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const bool count : {false, true}) {
        const SearchPlan plan = PlanFor(binding, 10, count);
        const SearchContext context{binding, plan};
        TopK top(10);
        top.RaiseMinCompetitiveScore(1e9f);
        const auto search = Open(context, top);
        search->FindCommonDocs(count);
        search->Run(0, kAllWindows);
        EXPECT_EQ(top.TakeUnsorted().size(), 0u);
        EXPECT_EQ(search->scored(), 0u);
        if (plan.count != CountMethod::kWithRanking) continue;
        EXPECT_EQ(search->Count().count, SearchExhaustively(binding, kDocs)->docs.size());
      }
    }
  });
}

}  // namespace segment_search_test
}  // namespace pmdex
