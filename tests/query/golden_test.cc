// Tests that indexes of the current format (tests/golden/) still open and give the same answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace golden_test
}  // namespace pmdex
