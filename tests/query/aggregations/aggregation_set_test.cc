// Aggregations of random requests over random columns, against an oracle that computes them
// document by document.
#include "query/aggregations/aggregation_set.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "engine/segment/live_docs.h"
#include "query/aggregations/automatic_interval.h"
#include "query/aggregations/segment_matches.h"
#include "query/planning/query_binder.h"
#include "query/searcher.h"
#include "tests/support/aggregation_oracle.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace aggregation_set_test {

constexpr int64_t kHour = 3'600'000'000'000;

Aggregation Of(AggregationKind kind, std::string field) {
  Aggregation request;
  request.kind = kind;
  request.field = std::move(field);
  return request;
}

std::shared_ptr<const Query> WordQuery(const std::string& word) {
  const auto query = std::make_shared<Query>();
  query->kind = QueryKind::kTerm;
  query->field = "body";
  query->text = word;
  return query;
}

// Makes requests of every kind, on every column that the kind can count.
class RandomRequests {
 public:
  explicit RandomRequests(uint64_t seed) : random_(seed) {}

  Aggregation Next(int depth) {
    Aggregation request = Any(depth == 0);
    for (size_t left = depth == 0 ? 0 : random_.Below(3); left > 0 && HasBuckets(request); --left) {
      request.below.push_back(Next(depth - 1));
    }
    return request;
  }

 private:
  static bool HasBuckets(const Aggregation& request) {
    return request.kind != AggregationKind::kStats &&
           request.kind != AggregationKind::kCardinality &&
           request.kind != AggregationKind::kPercentiles;
  }
  std::string OneOf(const std::vector<std::string>& names) {
    return names[random_.Below(names.size())];
  }

  Aggregation Any(bool metrics_alone) {
    switch (metrics_alone ? 5 + random_.Below(3) : random_.Below(8)) {
      case 0:
        return Terms();
      case 1:
        return Histogram();
      case 2:
        return DateHistogram();
      case 3:
        return Ranges();
      case 4:
        return Filters();
      case 5:
        return Of(AggregationKind::kStats,
                  OneOf({"n", "big", "id", "f", "flag", "time", "nums", "rare", "one"}));
      case 6:
        return Of(AggregationKind::kCardinality,
                  OneOf({"n", "big", "id", "f", "level", "name", "tags", "nums", "rare"}));
      default: {
        Aggregation request = Of(AggregationKind::kPercentiles,
                                 OneOf({"n", "big", "f", "time", "nums", "rare", "one"}));
        request.percents = {0, 1, 50, 99.9, 100};
        return request;
      }
    }
  }

  Aggregation Terms() {
    Aggregation request =
        Of(AggregationKind::kTerms, OneOf({"n", "big", "id", "f", "flag", "time", "level", "name",
                                           "tags", "nums", "rare", "one"}));
    request.size = 1 + random_.Below(40);
    if (random_.OneIn(4)) request.order = {{TermsOrder::By::kKey, random_.OneIn(2), {}, {}}};
    if (random_.OneIn(4)) request.min_doc_count = 1 + random_.Below(40);
    const bool is_keyword = request.field == "tags" || request.field == "name";
    if (is_keyword && random_.OneIn(2)) request.missing = OneOf({"none", "info", "n17"});
    if (is_keyword && random_.OneIn(3)) {
      (random_.OneIn(2) ? request.include : request.exclude).values = {"info", "warn", "n20",
                                                                       "none"};
    }
    return request;
  }

  Aggregation Histogram() {
    Aggregation request = Of(AggregationKind::kHistogram, OneOf({"n", "id", "f", "nums", "one"}));
    request.interval = request.field == "f" ? 12.5 : static_cast<double>(100 + random_.Below(900));
    if (request.field == "n" || request.field == "one") {
      request.interval = static_cast<double>(1 + random_.Below(30));
    }
    request.offset = random_.OneIn(2) ? 0 : static_cast<double>(random_.Below(77));
    // The values of f are too far apart to show what is between them.
    request.min_doc_count = request.field == "f" ? 1 + random_.Below(2) : random_.Below(3);
    return request;
  }

  Aggregation DateHistogram() {
    Aggregation request = Of(AggregationKind::kDateHistogram, "time");
    const CalendarUnit units[] = {CalendarUnit::kWeek, CalendarUnit::kMonth, CalendarUnit::kYear};
    request.date_interval = DateInterval{units[random_.Below(3)], 1};
    if (random_.OneIn(2)) {
      request.date_interval =
          DateInterval{CalendarUnit::kNone, static_cast<int64_t>(2 + random_.Below(100)) * kHour};
    }
    request.min_doc_count = random_.Below(3);
    return request;
  }

  Aggregation Ranges() {
    Aggregation request = Of(AggregationKind::kRange, OneOf({"n", "big", "f", "nums", "rare"}));
    request.ranges = {
        {"", std::nullopt, "-20"}, {"", "-20", "0.5"}, {"", "0", "3000"},
        {"", "7", std::nullopt},   {"", "5", "5"},     {"", std::nullopt, std::nullopt}};
    request.ranges.resize(1 + random_.Below(request.ranges.size()));
    return request;
  }

  Aggregation Filters() {
    Aggregation request = Of(AggregationKind::kFilters, "");
    for (const char* const word : {"w7", "w2", "w300"}) {
      request.filters.push_back({word, WordQuery(word)});
    }
    return request;
  }

  SeededRandom random_;
};

// Every 5th document of the second half is deleted.
bool IsDeleted(uint64_t doc) {
  return doc > 6000 && doc % 5 == 0;
}

// AggregationSet is driven by the searcher, as every program does it.
class AggregationSetTest : public testing::TestWithParam<bool> {
 protected:
  AggregationSetTest() {
    const Snapshot& whole = *index_.snapshot;
    std::vector<std::shared_ptr<const LiveDocs>> live_docs;
    for (size_t i = 0; i < whole.segments().size(); ++i) {
      std::vector<DocId> deleted;
      const uint32_t count = whole.segments()[i]->doc_count();
      for (DocId doc = 0; doc < count; ++doc) {
        if (IsDeleted(whole.doc_base(i) + doc)) deleted.push_back(doc);
      }
      live_docs.push_back(std::make_shared<const LiveDocs>(LiveDocs::Without(count, deleted)));
    }
    searcher_ = std::make_unique<Searcher>(
        Snapshot::Of(whole.settings(), {whole.segments().begin(), whole.segments().end()},
                     std::move(live_docs)));
  }

  static std::vector<uint64_t> Matches(uint32_t divisor) {
    std::vector<uint64_t> docs;
    for (uint64_t doc = 0; doc < kDocs; doc += divisor) {
      if (!IsDeleted(doc)) docs.push_back(doc);
    }
    return docs;
  }

  absl::StatusOr<SearchResult> Search(const std::string& query, std::vector<Aggregation> requests,
                                      size_t threads = 1) const {
    SearchOptions options;
    options.aggregations = std::move(requests);
    options.threads = threads;
    options.k = 0;
    return searcher_->Search(query, options);
  }
  AggregationResult One(const std::string& query, const Aggregation& request) const {
    const auto result = Search(query, {request});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->aggregations[0] : AggregationResult();
  }
  std::string Reason(const Aggregation& request) const {
    const auto result = Search("all", {request});
    return result.ok() ? "" : std::string(Message(result.status()));
  }

  static constexpr uint32_t kDocs = 22'000;
  const ColumnIndex index_ = MakeColumnIndex(77, {9000, 200, 12'800}, GetParam());
  const AggregationOracle oracle_{index_};
  std::unique_ptr<Searcher> searcher_;
};

TEST_P(AggregationSetTest, EqualsTheOracleForRandomRequests) {
  RandomRequests requests(5);
  SeededRandom random(6);
  const std::pair<const char*, uint32_t> queries[] = {
      {"all", 1}, {"*", 1}, {"w2", 2}, {"w7", 7}, {"w300", 300}};
  for (int round = 0; round < Rounds(80); ++round) {
    const auto& [query, divisor] = queries[random.Below(std::size(queries))];
    const std::vector<Aggregation> asked = {requests.Next(2), requests.Next(1)};
    const auto result = Search(query, asked, 1 + random.Below(4));
    ASSERT_TRUE(result.ok()) << result.status();
    const std::vector<uint64_t> docs = Matches(divisor);
    EXPECT_EQ(result->total, docs.size());
    EXPECT_TRUE(result->total_exact);
    for (size_t i = 0; i < asked.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "round " << round << " " << asked[i].field << " kind "
                                      << static_cast<int>(asked[i].kind));
      oracle_.Check(asked[i], docs, result->aggregations[i]);
      if (HasFailure()) return;
    }
  }
}

// Where nothing is deleted, the order of values may answer for a whole segment.
TEST_P(AggregationSetTest, CountsAllDocumentsAsTheOracleDoes) {
  const Searcher searcher(index_.snapshot);
  std::vector<uint64_t> docs(kDocs);
  std::iota(docs.begin(), docs.end(), 0);
  RandomRequests requests(8);
  SeededRandom random(9);
  for (int round = 0; round < Rounds(100); ++round) {
    SearchOptions options;
    options.aggregations = {requests.Next(1)};
    options.threads = 1 + random.Below(4);
    options.k = 0;
    const auto result = searcher.Search("*", options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->total, kDocs);
    SCOPED_TRACE(testing::Message() << "round " << round << " " << options.aggregations[0].field);
    oracle_.Check(options.aggregations[0], docs, result->aggregations[0]);
    if (HasFailure()) return;
  }
}

TEST_P(AggregationSetTest, FindsTheLiveMatchesOfEachWindow) {
  const Snapshot& snapshot = searcher_->snapshot();
  const auto binding = BindQuery(*WordQuery("w7"), snapshot, SimilarityKind::kBm25);
  ASSERT_TRUE(binding.ok());
  const SearchPlan plan = PlanSearch(*binding, {});
  const SearchContext search{*binding, plan};
  std::vector<uint64_t> found;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    SegmentContext segment = SegmentContextOf(search, i);
    auto matches = SegmentMatches::Open(search, segment);
    ASSERT_TRUE(matches.ok());
    for (uint32_t window = 0; window < WindowCount(segment.segment.doc_count()); ++window) {
      WindowBits bits;
      ASSERT_TRUE(matches->Fill(window, bits).ok());
      bits.ForEach([&](uint32_t doc) {
        found.push_back(snapshot.doc_base(i) + window * kWindowDocs + doc);
        return true;
      });
    }
  }
  EXPECT_EQ(found, Matches(7));
}

TEST_P(AggregationSetTest, CountsTheMatchesOfAMinimumScore) {
  SearchOptions options;
  options.k = kDocs;
  const auto ranked = searcher_->Search("w7 w300", options);
  ASSERT_TRUE(ranked.ok());
  options.min_score = ranked->hits[ranked->hits.size() / 50].score;
  std::vector<uint64_t> docs;
  for (const Hit& hit : ranked->hits) {
    if (hit.score >= options.min_score) docs.push_back(hit.doc);
  }
  ASSERT_LT(docs.size(), ranked->hits.size());
  std::sort(docs.begin(), docs.end());
  options.aggregations = {Of(AggregationKind::kTerms, "level")};
  const auto result = searcher_->Search("w7 w300", options);
  ASSERT_TRUE(result.ok());
  oracle_.Check(options.aggregations[0], docs, result->aggregations[0]);
}

TEST_P(AggregationSetTest, GivesTheHitsThatASearchWithoutAggregationsGives) {
  SearchOptions options;
  const auto plain = searcher_->Search("w7 w300", options);
  options.aggregations = {Of(AggregationKind::kStats, "n")};
  const auto both = searcher_->Search("w7 w300", options);
  ASSERT_TRUE(plain.ok() && both.ok());
  ASSERT_EQ(plain->hits.size(), both->hits.size());
  for (size_t i = 0; i < plain->hits.size(); ++i) {
    EXPECT_EQ(plain->hits[i].doc, both->hits[i].doc);
    EXPECT_EQ(plain->hits[i].score, both->hits[i].score);
  }
}

TEST_P(AggregationSetTest, ChoosesIntervalsOfAtMostTwentyBuckets) {
  for (const char* const field : {"n", "big", "id", "nums", "rare", "one"}) {
    Aggregation request = Of(AggregationKind::kHistogram, field);
    request.min_doc_count = 0;
    const AggregationResult result = One("w7", request);
    EXPECT_GE(result.buckets.size(), field == std::string("one") ? 1u : 5u) << field;
    EXPECT_LE(result.buckets.size(), kMostAutomaticBuckets) << field;
    uint64_t counted = 0;
    for (const AggregationBucket& bucket : result.buckets) counted += bucket.count;
    EXPECT_GT(counted, 0u);
  }
  Aggregation times = Of(AggregationKind::kDateHistogram, "time");
  times.min_doc_count = 0;
  const AggregationResult result = One("w7", times);
  EXPECT_GE(result.buckets.size(), 5u);
  EXPECT_LE(result.buckets.size(), kMostAutomaticBuckets);
  EXPECT_TRUE(NeedsInterval(times));
}

TEST_P(AggregationSetTest, OrdersTermsByANumberBelowThem) {
  Aggregation request = Of(AggregationKind::kTerms, "name");
  request.below = {Of(AggregationKind::kStats, "big")};
  request.order = {{TermsOrder::By::kMetric, false, {0}, {MetricName::Part::kMax, 0}}};
  request.size = 50;
  const AggregationResult result = One("all", request);
  ASSERT_EQ(result.buckets.size(), 50u);
  for (size_t i = 1; i < result.buckets.size(); ++i) {
    EXPECT_LE(result.buckets[i - 1].below[0].stats.max.i64(),
              result.buckets[i].below[0].stats.max.i64());
  }
}

TEST_P(AggregationSetTest, ShowsTermsWithoutMatchesWhereTheRequestWantsThem) {
  Aggregation request = Of(AggregationKind::kTerms, "level");
  request.min_doc_count = 0;
  const AggregationResult all = One("all", request);
  const AggregationResult none = One("body:absent", request);
  EXPECT_EQ(all.buckets.size(), 5u);
  ASSERT_EQ(none.buckets.size(), 5u);
  EXPECT_EQ(none.buckets[0].key.keyword, "Warn");
  for (const AggregationBucket& bucket : none.buckets) EXPECT_EQ(bucket.count, 0u);
  request.field = "n";
  request.size = 1000;
  EXPECT_EQ(One("body:absent", request).buckets.size(), 200u);
}

TEST_P(AggregationSetTest, FillsAHistogramToItsBounds) {
  Aggregation request = Of(AggregationKind::kHistogram, "one");
  request.interval = 5;
  request.min_doc_count = 0;
  request.extended_bounds = HistogramBounds{-12, 21, 0, 0};
  const AggregationResult result = One("all", request);
  ASSERT_EQ(result.buckets.size(), 8u);
  EXPECT_EQ(result.buckets[0].key.i64(), -15);
  EXPECT_EQ(result.buckets[4].count, Matches(1).size());
  EXPECT_EQ(result.buckets[7].key.i64(), 20);
}

TEST_P(AggregationSetTest, FillsAHistogramToTheEndThatIsBounded) {
  Aggregation request = Of(AggregationKind::kHistogram, "one");
  request.interval = 5;
  request.min_doc_count = 0;
  HistogramBounds& bounds = request.extended_bounds.emplace(HistogramBounds{-12, 21, 0, 0});
  bounds.bounds_begin = false;
  AggregationResult result = One("all", request);
  ASSERT_EQ(result.buckets.size(), 4u);
  EXPECT_EQ(result.buckets[0].key.i64(), 5);
  EXPECT_EQ(result.buckets[3].key.i64(), 20);
  EXPECT_EQ(One("body:absent", request).buckets.size(), 0u);
  bounds = {-12, 21, 0, 0, true, false};
  result = One("all", request);
  ASSERT_EQ(result.buckets.size(), 5u);
  EXPECT_EQ(result.buckets[0].key.i64(), -15);
  EXPECT_EQ(result.buckets[4].count, Matches(1).size());
  EXPECT_EQ(One("body:absent", request).buckets.size(), 0u);
  bounds = {-12, 21, 0, 0, false, false};
  EXPECT_EQ(One("all", request).buckets.size(), 1u);
}

TEST_P(AggregationSetTest, RefusesFieldsAndHistogramsThatItCannotCount) {
  EXPECT_EQ(Reason(Of(AggregationKind::kTerms, "absent")), "no document has the field absent");
  EXPECT_EQ(Reason(Of(AggregationKind::kTerms, "body")),
            "the field body is text, which has no values to count");
  EXPECT_EQ(Reason(Of(AggregationKind::kStats, "level")),
            "the field level has keywords, which are no numbers");
  Aggregation request = Of(AggregationKind::kHistogram, "level");
  request.interval = 1;
  EXPECT_EQ(Reason(request), "the field level has no numbers");
  request.field = "big";
  request.min_doc_count = 0;
  EXPECT_EQ(Reason(request),
            "the histogram of big would have more than 10000 buckets (hint: a longer interval)");
  request = Of(AggregationKind::kRange, "n");
  request.ranges = {{"", "x", std::nullopt}};
  EXPECT_EQ(Reason(request), "'x' is no value of the field n");
  request = Of(AggregationKind::kDateHistogram, "n");
  request.date_interval = DateInterval{CalendarUnit::kMonth, 1};
  EXPECT_EQ(Reason(request), "the field n has no dates (hint: a histogram counts numbers)");
}

TEST_P(AggregationSetTest, AnswersNothingOfAFieldThatMayBeAbsent) {
  for (const AggregationKind kind :
       {AggregationKind::kTerms, AggregationKind::kStats, AggregationKind::kCardinality}) {
    Aggregation request = Of(kind, "absent");
    request.field_may_be_absent = true;
    const AggregationResult result = One("all", request);
    EXPECT_TRUE(result.buckets.empty());
    EXPECT_EQ(result.stats.count, 0u);
    EXPECT_EQ(result.cardinality, 0u);
  }
}

TEST_P(AggregationSetTest, MergesTheSetsOfSeveralIndexes) {
  Aggregation request = Of(AggregationKind::kTerms, "name");
  request.below = {Of(AggregationKind::kStats, "n"), Of(AggregationKind::kCardinality, "tags")};
  SearchOptions options;
  options.aggregations = {request, Of(AggregationKind::kPercentiles, "nums")};
  options.aggregations[1].percents = {50};
  options.keep_aggregation_set = true;
  const auto first = searcher_->Search("w2", options);
  const auto second = searcher_->Search("w7", options);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->aggregation_set->Merge(*second->aggregation_set).ok());
  std::vector<uint64_t> docs = Matches(2);
  for (const uint64_t doc : Matches(7)) docs.push_back(doc);
  const auto results = first->aggregation_set->Results();
  ASSERT_TRUE(results.ok());
  oracle_.Check(request, docs, (*results)[0]);
  EXPECT_EQ(first->aggregation_set->match_count(), docs.size());
}

// A clock that is past the deadline from the second look on.
class LateClock final : public DeadlineClock {
 public:
  TimePoint Now() const override { return TimePoint(std::chrono::hours(looks_++)); }

 private:
  mutable int looks_ = 0;
};

TEST_P(AggregationSetTest, EndsAtTheDeadlineAndSaysSo) {
  const LateClock clock;
  SearchOptions options;
  options.aggregations = {Of(AggregationKind::kTerms, "level")};
  options.deadline = std::chrono::milliseconds(1);
  options.clock = &clock;
  const auto result = searcher_->Search("all", options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
  EXPECT_FALSE(result->aggregations[0].exact);
}

INSTANTIATE_TEST_SUITE_P(Tiers, AggregationSetTest, testing::Bool(), [](const auto& compressed) {
  return compressed.param ? "Compressed" : "Uncompressed";
});

}  // namespace aggregation_set_test
}  // namespace pmdex
