#include "query/expansion/numbered_terms.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/expansion/segment_of_terms.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace numbered_terms_test {

TEST(NumberedTerms, MoveInAnyOrder) {
  SeededRandom random(1);
  const std::set<std::string> terms = RandomTerms(random, 500, kAlphabets[1]);
  const auto segment = SegmentOfTerms(terms);
  NumberedTerms numbered(segment->dictionary(), kFieldOfTerms);
  EXPECT_FALSE(numbered.MoveTo(terms.size()));
  uint64_t number = 0;
  for (int round = 0; round < 2000; ++round) {
    number = random.OneIn(2) ? random.Below(terms.size())
                             : std::min<uint64_t>(number + random.Below(20), terms.size() - 1);
    ASSERT_TRUE(numbered.MoveTo(number));
    ASSERT_EQ(numbered.terms().term(), *std::next(terms.begin(), static_cast<long>(number)));
  }
}

TEST(NumberedTerms, FindTheBlocksOfAPrefix) {
  SeededRandom random(2);
  for (const auto& alphabet : kAlphabets) {
    const std::set<std::string> terms = RandomTerms(random, 2000, alphabet);
    const auto segment = SegmentOfTerms(terms);
    for (int round = 0; round < 200; ++round) {
      const std::string prefix = round == 0 ? "" : RandomText(random, alphabet, 3);
      const auto blocks = BlocksWith(prefix, segment->dictionary(), kFieldOfTerms);
      ASSERT_TRUE(blocks.ok());
      size_t found = 0;
      uint64_t number = 0;
      for (const std::string& term : terms) {
        const uint64_t block = number++ / kTermsPerBlock;
        if (!term.starts_with(prefix)) continue;
        ++found;
        ASSERT_GE(block, blocks->begin) << prefix;
        ASSERT_LT(block, blocks->end) << prefix;
      }
      EXPECT_LE((blocks->end - blocks->begin) * kTermsPerBlock, found + 3 * kTermsPerBlock);
    }
  }
}

TEST(NumberedTerms, AppendTheNumbersOfSetBits) {
  std::vector<uint16_t> masks = {0x8001, 0, 0, 0, 0, 0x0010, 0xffff, 0xffff};
  std::vector<uint32_t> numbers = {7};
  AppendNumbers(masks.data(), 6, 160, numbers);
  EXPECT_EQ(numbers, (std::vector<uint32_t>{7, 160, 175, 160 + 80 + 4}));
  AppendNumbers(masks.data(), 0, 0, numbers);
  EXPECT_EQ(numbers.size(), 4u);
}

}  // namespace numbered_terms_test
}  // namespace pmdex
