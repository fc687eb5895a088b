#include "query/algorithm/leaf/constant_leaf.h"

#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace constant_leaf_test {

TEST(FieldLeaf, FillsTheDocumentsWhoseLengthCodeIsNotZero) {
  SeededRandom random(4);
  for (const uint32_t doc_count : {1u, 7u, 8u, 63u, 64u, 65u, 4096u, 4099u, 9001u}) {
    std::vector<uint8_t> norms(doc_count);
    uint64_t documents = 0;
    for (uint8_t& code : norms) {
      code = static_cast<uint8_t>(random.OneIn(3) ? 1 + random.Below(255) : 0);
      documents += code != 0 ? 1 : 0;
    }
    FieldLeaf leaf(norms, 2.0f, documents);
    EXPECT_EQ(leaf.KnownCount(), documents);
    for (uint32_t window = 0; window < WindowCount(doc_count); ++window) {
      WindowBits bits;
      leaf.Fill(window, bits);
      for (uint32_t i = 0; i < kWindowDocs; ++i) {
        const uint64_t doc = uint64_t{window} * kWindowDocs + i;
        const bool has_field = doc < doc_count && norms[doc] != 0;
        ASSERT_EQ(bits.words[i / 64] >> (i % 64) & 1, has_field ? 1u : 0u) << doc;
      }
    }
  }
}

}  // namespace constant_leaf_test
}  // namespace pmdex
