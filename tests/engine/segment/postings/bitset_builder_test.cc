#include "engine/segment/postings/bitset_builder.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace bitset_builder_test {

std::vector<uint32_t> Ranks(BitsetBuilder& builder) {
  const auto ranks = builder.FinishRanks();
  return {ranks.begin(), ranks.end()};
}

TEST(BitsetBuilder, SetsABitADocumentAndCountsRunsOf512) {
  BitsetBuilder builder;
  builder.Start(1025);
  builder.Add(std::vector<DocId>{0, 63, 64, 511});
  builder.Add(std::vector<DocId>{512, 1024});
  ASSERT_EQ(builder.words().size(), 24u);
  EXPECT_EQ(builder.words()[0], 1 | uint64_t{1} << 63);
  EXPECT_EQ(builder.words()[1], 1u);
  EXPECT_EQ(builder.words()[7], uint64_t{1} << 63);
  EXPECT_EQ(builder.words()[8], 1u);
  EXPECT_EQ(builder.words()[16], 1u);
  EXPECT_EQ(Ranks(builder), (std::vector<uint32_t>{0, 4, 5, 6}));
}

TEST(BitsetBuilder, HasWholeRunsOfBitsAndOneRankMore) {
  BitsetBuilder builder;
  for (const uint32_t doc_count : {1u, 511u, 512u, 513u, 1024u}) {
    std::vector<DocId> all(doc_count);
    std::iota(all.begin(), all.end(), 0);
    builder.Start(doc_count);
    builder.Add(all);
    EXPECT_EQ(builder.words().size(), (doc_count + 511) / 512 * 8);
    const std::vector<uint32_t> ranks = Ranks(builder);
    ASSERT_EQ(ranks.size(), (doc_count + 511) / 512 + 1);
    for (uint32_t run = 0; run < ranks.size(); ++run) {
      EXPECT_EQ(ranks[run], std::min(run * 512, doc_count));
    }
  }
}

TEST(BitsetBuilder, ForgetsTheListBefore) {
  BitsetBuilder builder;
  builder.Start(2000);
  builder.Add(std::vector<DocId>{1, 1999});
  (void)builder.FinishRanks();
  builder.Start(600);
  builder.Add(std::vector<DocId>{7});
  EXPECT_EQ(builder.words().size(), 16u);
  EXPECT_EQ(builder.words()[0], 128u);
  EXPECT_EQ(Ranks(builder), (std::vector<uint32_t>{0, 1, 1}));
}

}  // namespace bitset_builder_test
}  // namespace pmdex
