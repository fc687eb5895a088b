#include "query/result/scored_docs.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace scored_docs_test {

// Documents with scores of few values up to all different ones, negative ones and both zeros
// included.
std::vector<ScoredDoc> RandomDocs(SeededRandom& random, size_t count) {
  const uint32_t different = 1u << random.Below(24);
  const float unit = random.OneIn(2) ? 1.0f : 1e-20f;
  const float least = random.OneIn(2) ? 0.0f : -static_cast<float>(different) / 2;
  std::vector<ScoredDoc> docs;
  for (size_t i = 0; i < count; ++i) {
    const float score = (least + static_cast<float>(random.Below(different))) * unit;
    docs.push_back({random.Below(1 << 20) << 20 | i, random.OneIn(50) ? -0.0f : score});
  }
  return docs;
}

std::vector<ScoredDoc> Sorted(std::vector<ScoredDoc> docs) {
  std::sort(docs.begin(), docs.end(), IsBetter);
  return docs;
}

void ExpectEqual(const std::vector<ScoredDoc>& docs, const std::vector<ScoredDoc>& expected) {
  ASSERT_EQ(docs.size(), expected.size());
  for (size_t i = 0; i < docs.size(); ++i) {
    ASSERT_EQ(docs[i].doc, expected[i].doc) << i;
    ASSERT_EQ(docs[i].score, expected[i].score) << i;
  }
}

TEST(ScoredDocs, SelectionKeepsWhatSortingPutsFirst) {
  SeededRandom random(31);
  std::vector<ScoredDoc> scratch;
  for (int round = 0; round < 400; ++round) {
    const size_t count = 1 + random.Below(round % 10 == 0 ? 5000 : 60);
    const size_t k = 1 + random.Below(count);
    std::vector<ScoredDoc> docs = RandomDocs(random, count);
    std::vector<ScoredDoc> expected = Sorted(docs);
    expected.resize(k);
    SelectBest(docs, k, scratch);
    ASSERT_EQ(docs.size(), k);
    EXPECT_EQ(docs.front().doc, expected.back().doc) << "the worst is not in front";
    ExpectEqual(Sorted(docs), expected);
  }
}

TEST(ScoredDocs, SortingEqualsSortingByComparison) {
  SeededRandom random(32);
  std::vector<ScoredDoc> scratch;
  for (int round = 0; round < 400; ++round) {
    std::vector<ScoredDoc> docs = RandomDocs(random, random.Below(round % 10 == 0 ? 5000 : 60));
    const std::vector<ScoredDoc> expected = Sorted(docs);
    SortBest(docs, scratch);
    ExpectEqual(docs, expected);
  }
}

}  // namespace scored_docs_test
}  // namespace pmdex
