// Tests that indexes of the current format (tests/golden/) still open and give the same answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/date_text.h"
#include "engine/segment/compressed/convert_segment.h"
#include "engine/segment/verify/verifier.h"
#include "engine/store/store_verifier.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace golden_test {

struct GoldenAnswer {
  std::string query;
  uint64_t total;
  std::vector<std::pair<std::string, float>> best;
};

class GoldenV2 : public testing::Test {
 protected:
  void SetUp() override {
    auto directory = OpenFileDirectory(PMDEX_SOURCE_DIR "/tests/golden/v2/index", {});
    ASSERT_TRUE(directory.ok()) << directory.status();
    directory_ = *std::move(directory);
  }
  std::unique_ptr<Directory> directory_;
};

TEST_F(GoldenV2, VerifiesClean) {
  const auto report = VerifyStore(*directory_);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const Finding& finding : report->findings)
    ADD_FAILURE() << finding.file << ": " << finding.what;
  EXPECT_EQ(report->generation, 4u);
  EXPECT_EQ(report->segments, 2u);
}

TEST_F(GoldenV2, GivesTheSameAnswers) {
  const auto snapshot = Snapshot::Open(*directory_);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ((*snapshot)->doc_count(), 60u);
  EXPECT_TRUE((*snapshot)->settings().store_text);
  const Searcher searcher(*snapshot);
  const GoldenAnswer answers[] = {
      {"alpha AND omega", 8, {{"doc-16", 3.2643959522f}, {"doc-58", 2.0436043739f}}},
      {"recurring", 1, {{"doc-11", 3.6037204265f}}},
      {"strasse OR 東", 1, {{"doc-12", 4.9740695953f}}},
      {"\"alpha beta\"", 41, {{"doc-50", 1.7685168982f}, {"doc-37", 0.0919972584f}}},
      {"sev*", 1, {{"doc-13", 1.0f}}},
      {"title:kappa^2 body:mu", 27, {{"doc-14", 2.3325297832f}, {"doc-35", 2.2869648933f}}},
      {"gama~1", 56, {{"doc-08", 0.6601970792f}, {"doc-24", 0.6600972414f}}},
      {"σίσυφοσ", 1, {{"doc-12", 2.4870347977f}}},
      {"\"alpha gamma\"~3", 52, {{"doc-42", 0.1140955836f}, {"doc-14", 0.1112818196f}}},
      {"NOT alpha", 1, {{"doc-12", 1.0f}}},
      {"t?u", 8, {{"doc-57", 2.0f}, {"doc-08", 1.0f}}},
  };
  for (const GoldenAnswer& answer : answers) {
    SearchOptions options;
    options.count = true;
    const auto result = searcher.Search(answer.query, options);
    ASSERT_TRUE(result.ok()) << answer.query << ": " << result.status();
    EXPECT_EQ(result->total, answer.total) << answer.query;
    ASSERT_GE(result->hits.size(), answer.best.size()) << answer.query;
    for (size_t i = 0; i < answer.best.size(); ++i) {
      EXPECT_EQ(result->hits[i].id, answer.best[i].first) << answer.query;
      EXPECT_NEAR(result->hits[i].score, answer.best[i].second, 1e-5f * answer.best[i].second)
          << answer.query;
    }
  }
}

// tests/golden/v2/compressed.pmdex is the first segment of the store.
TEST_F(GoldenV2, DecompressesToTheSameBytes) {
  const auto golden = OpenFileDirectory(PMDEX_SOURCE_DIR "/tests/golden/v2", {}).value();
  const auto compressed =
      Segment::Open(golden->Open("compressed.pmdex").value(), "compressed.pmdex", std::nullopt);
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  EXPECT_TRUE(VerifySegment(**compressed).empty());
  const auto segment = (*Snapshot::Open(*directory_))->segments()[0];
  const auto scratch = NewDramDirectory("golden");
  const auto back = WriteUncompressedSegment(**compressed, *scratch, segment->segment_id());
  ASSERT_TRUE(back.ok()) << back.status();
  const auto written = scratch->Open(back->file_name).value();
  EXPECT_TRUE(std::ranges::equal(written->bytes(), segment->view().bytes()));
}

TEST_F(GoldenV2, KeepsTheStoredText) {
  const auto snapshot = Snapshot::Open(*directory_);
  ASSERT_TRUE(snapshot.ok());
  const auto values = (*snapshot)->segments()[0]->StoredText(12);
  ASSERT_TRUE(values.ok()) << values.status();
  bool found = false;
  for (const StoredValue& value : *values)
    found |= value.text == "Straße Ünïcode ﬁnal Σίσυφος 東京 naïve café";
  EXPECT_TRUE(found);
}

// tests/golden/v2/columns: values of every type, in both tiers.
class GoldenColumns : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string path = PMDEX_SOURCE_DIR "/tests/golden/v2/columns/";
    directory_ = OpenFileDirectory(path + GetParam(), {}).value();
    searcher_ = std::make_unique<Searcher>(Snapshot::Open(*directory_).value());
  }
  SearchResult Search(const std::string& query, const SearchOptions& options) const {
    auto result = searcher_->Search(query, options);
    EXPECT_TRUE(result.ok()) << query << ": " << result.status();
    return result.ok() ? *std::move(result) : SearchResult();
  }
  // The ids of the hits, in the order of the keys.
  std::vector<std::string> Sorted(const std::string& keys) const {
    SearchOptions options;
    options.k = 3;
    options.sort = ParseSortKeys(keys).value();
    std::vector<std::string> ids;
    const SearchResult result = Search("*", options);
    for (const Hit& hit : result.hits) ids.emplace_back(hit.id);
    return ids;
  }
  // The values of a field of one document, as text.
  std::string Values(const std::string& id, const std::string& field) const {
    SearchOptions options;
    options.k = 60;
    options.fields_out = {field};
    const SearchResult result = Search("*", options);
    std::string text;
    for (size_t i = 0; i < result.hits.size(); ++i) {
      if (result.hits[i].id != id) continue;
      for (const DocValue& value : result.field_values[i][0]) text += TextOf(value) + " ";
    }
    return text;
  }
  static std::string TextOf(const DocValue& value) {
    switch (value.type) {
      case FieldType::kI64:
        return std::to_string(value.i64());
      case FieldType::kF64:
        return (std::signbit(value.f64()) ? "-" : "") + std::to_string(std::fabs(value.f64()));
      case FieldType::kDate:
        return FormatDate(value.i64());
      case FieldType::kKeyword:
        return value.keyword;
      default:
        return std::to_string(value.bits);
    }
  }
  AggregationResult Facet(Aggregation facet) const {
    SearchOptions options;
    options.k = 0;
    options.aggregations = {std::move(facet)};
    return Search("*", options).aggregations.at(0);
  }

  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Searcher> searcher_;
};

INSTANTIATE_TEST_SUITE_P(BothTiers, GoldenColumns, testing::Values("index", "compressed"));

TEST_P(GoldenColumns, VerifyClean) {
  const auto report = VerifyStore(*directory_);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const Finding& finding : report->findings)
    ADD_FAILURE() << finding.file << ": " << finding.what;
  EXPECT_EQ(report->segments, 2u);
  for (const auto& segment : searcher_->snapshot().segments()) {
    EXPECT_EQ(segment->is_compressed(), std::string(GetParam()) == "compressed");
  }
}

TEST_P(GoldenColumns, MatchTheSameRanges) {
  const std::pair<const char*, uint64_t> answers[] = {
      {"i:[-1000 TO -1]", 29},
      {"i:<0 AND i:>0", 10},
      {"i:[-9223372036854775808 TO -9223372036854775807]", 1},
      {"u:>9223372036854775807", 15},
      {"u:18446744073709551615", 1},
      {"f:0", 7},
      {"f:[-0.0 TO 0.0]", 7},
      {"f:>1e299", 5},
      {"b:true", 17},
      {"b:false", 33},
      {"d:>=2026-06", 16},
      {"d:[2262 TO *]", 1},
      {"d:<1678", 1},
      {"k:error", 14},
      {"k:[S TO *]", 45},
      {"k:\"\"", 5},
      {"rare:*", 2},
      {"note:wolf AND dense:<60", 12},
      {"dense:[30 TO 33}", 1},
  };
  SearchOptions options;
  options.count = true;
  for (const auto& [query, total] : answers) {
    EXPECT_EQ(Search(query, options).total, total) << query;
  }
}

TEST_P(GoldenColumns, KeepEveryValue) {
  EXPECT_EQ(Values("doc-10", "i"), "-9223372036854775808 9223372036854775807 ");
  EXPECT_EQ(Values("doc-30", "i"), "30 -30 30000090 ");
  EXPECT_EQ(Values("doc-30", "f"), "-0.000000 0.500000 ");
  EXPECT_EQ(Values("doc-39", "f"), "0.000000 ");
  EXPECT_EQ(Values("doc-20", "u"), "18446744073709551615 ");
  EXPECT_EQ(Values("doc-40", "d"),
            "1677-09-21T00:12:43.145224192Z 2262-04-11T23:47:16.854775807Z 2026-02-28T00:00:00Z ");
  EXPECT_EQ(Values("doc-54", "k"), "info error zeta-54 ");
  EXPECT_EQ(Values("doc-08", "k"), "東京 ");
  EXPECT_EQ(Values("doc-31", "b"), "1 ");
  EXPECT_EQ(Values("doc-31", "i"), "");
  EXPECT_EQ(Values("doc-47", "rare"), "47 ");
}

TEST_P(GoldenColumns, SortTheSame) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(Sorted("i"), (Ids{"doc-10", "doc-53", "doc-39"}));
  EXPECT_EQ(Sorted("u:desc"), (Ids{"doc-20", "doc-12", "doc-48"}));
  EXPECT_EQ(Sorted("f:asc,dense:desc"), (Ids{"doc-05", "doc-08", "doc-29"}));
  EXPECT_EQ(Sorted("b:desc,d:desc"), (Ids{"doc-22", "doc-46", "doc-34"}));
  EXPECT_EQ(Sorted("d"), (Ids{"doc-40", "doc-00", "doc-36"}));
  EXPECT_EQ(Sorted("k:desc"), (Ids{"doc-08", "doc-22", "doc-09"}));
}

TEST_P(GoldenColumns, AreSummarizedTheSame) {
  Aggregation facet;
  facet.field = "k";
  const AggregationResult kinds = Facet(facet);
  ASSERT_EQ(kinds.buckets.size(), 10u);
  EXPECT_EQ(kinds.buckets[0].key.keyword, "info");
  EXPECT_EQ(kinds.buckets[0].count, 17u);
  EXPECT_EQ(kinds.buckets[4].key.keyword, "");
  EXPECT_EQ(kinds.buckets[4].count, 5u);
  EXPECT_EQ(kinds.other_count, 3u);
  facet.kind = AggregationKind::kStats;
  facet.field = "i";
  const StatsResult stats = Facet(facet).stats;
  EXPECT_EQ(stats.count, 73u);
  EXPECT_EQ(stats.sum.i64(), 274'999'531);
  facet.kind = AggregationKind::kDateHistogram;
  facet.field = "d";
  facet.min_doc_count = 0;
  facet.date_interval = ParseDateInterval("100y").value();
  std::vector<std::pair<std::string, uint64_t>> centuries;
  const AggregationResult dates = Facet(facet);
  for (const auto& bucket : dates.buckets) {
    centuries.emplace_back(FormatDate(bucket.key.i64()), bucket.count);
  }
  EXPECT_EQ(centuries,
            (std::vector<std::pair<std::string, uint64_t>>{{"1677-09-21T00:12:43.145224192Z", 1},
                                                           {"1700-01-01T00:00:00Z", 0},
                                                           {"1800-01-01T00:00:00Z", 0},
                                                           {"1900-01-01T00:00:00Z", 0},
                                                           {"2000-01-01T00:00:00Z", 30},
                                                           {"2100-01-01T00:00:00Z", 0},
                                                           {"2200-01-01T00:00:00Z", 1}}));
}

}  // namespace golden_test
}  // namespace pmdex
