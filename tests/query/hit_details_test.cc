#include "query/hit_details.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/reference_index.h"

namespace pmdex {
namespace hit_details_test {

std::shared_ptr<const Snapshot> FortyDocuments() {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  for (int i = 0; i < 40; ++i) reference.Add({"d" + std::to_string(i), {{"body", "a"}}});
  return reference.BuildSnapshot(3, false, false);
}

std::vector<ScoredDoc> AllDocs() {
  std::vector<ScoredDoc> docs;
  for (uint64_t doc = 0; doc < 40; ++doc) docs.push_back({doc, 1.0f});
  return docs;
}

TEST(HitDetails, NamesHitsOfAllSegments) {
  const auto snapshot = FortyDocuments();
  SearchResult result;
  ASSERT_TRUE(NameHits(*snapshot, AllDocs(), {}, result).ok());
  ASSERT_EQ(result.hits.size(), 40u);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(result.hits[i].id, "d" + std::to_string(i));
  EXPECT_FALSE(result.timed_out);
}

}  // namespace hit_details_test
}  // namespace pmdex
