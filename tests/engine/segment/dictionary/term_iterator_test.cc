#include "engine/segment/dictionary/term_iterator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/engine/segment/dictionary/random_dictionary.h"

namespace pmdex {
namespace term_iterator_test {

using TermIteratorTest = RandomDictionary;

TEST_F(TermIteratorTest, WalksTermsInOrder) {
  for (FieldId field = 0; field < 4; ++field) {
    TermIterator iterator(segment_->dictionary(), field);
    if (field < 3) {
      for (const std::string& term : terms_[field]) {
        ASSERT_TRUE(iterator.Next());
        ASSERT_EQ(iterator.term(), term);
        ASSERT_TRUE(IsSame(iterator.entry().value(), segment_->Find(field, term).value().value()));
      }
    }
    EXPECT_FALSE(iterator.Next());
    EXPECT_FALSE(iterator.Next());  // stays at the end
    EXPECT_TRUE(iterator.status().ok());
  }
}

TEST_F(TermIteratorTest, SeeksInBothDirectionsAndGoesOn) {
  const std::set<std::string>& terms = terms_[2];
  TermIterator iterator(segment_->dictionary(), 2);
  for (int round = 0; round < 5000; ++round) {
    const std::string probe = Probe();
    auto expected = terms.lower_bound(probe);
    ASSERT_EQ(iterator.Seek(probe), expected != terms.end());
    for (int i = 0; i < 3 && expected != terms.end(); ++i) {
      ASSERT_EQ(iterator.term(), *expected);
      ++expected;
      ASSERT_EQ(iterator.Next(), expected != terms.end());
    }
  }
  EXPECT_TRUE(iterator.Seek(*terms.rbegin()));
  EXPECT_FALSE(iterator.Seek(*terms.rbegin() + "x"));
  EXPECT_FALSE(iterator.Next());
  EXPECT_TRUE(iterator.Seek(""));
  EXPECT_EQ(iterator.term(), *terms.begin());
  TermIterator none(segment_->dictionary(), 1);
  EXPECT_FALSE(none.Seek(""));
  EXPECT_FALSE(none.Next());
}

TEST_F(TermIteratorTest, SeeksPartsOfAboutAsManyTerms) {
  constexpr uint64_t kParts = 7;
  const std::vector<std::string> terms(terms_[2].begin(), terms_[2].end());
  TermIterator iterator(segment_->dictionary(), 2);
  for (uint64_t part = 0; part < kParts; ++part) {
    ASSERT_TRUE(iterator.SeekPart(part, kParts));
    const auto at = std::find(terms.begin(), terms.end(), iterator.term());
    EXPECT_NEAR(static_cast<double>(at - terms.begin()),
                static_cast<double>(terms.size() * part / kParts), kTermsPerBlock);
    ASSERT_TRUE(iterator.Next());
    EXPECT_EQ(iterator.term(), at[1]);
  }
  TermIterator none(segment_->dictionary(), 1);
  EXPECT_FALSE(none.SeekPart(0, 1));
}

TEST_F(TermIteratorTest, SeeksBlocks) {
  const std::vector<std::string> terms(terms_[2].begin(), terms_[2].end());
  TermIterator iterator(segment_->dictionary(), 2);
  const uint64_t blocks = segment_->dictionary().term_block_count(2);
  for (const uint64_t block : {blocks - 1, uint64_t{0}, blocks / 2}) {
    ASSERT_TRUE(iterator.SeekBlock(block));
    EXPECT_EQ(iterator.term(), terms[block * kTermsPerBlock]);
    EXPECT_EQ(iterator.block(), block);
  }
  ASSERT_TRUE(iterator.Seek(terms[kTermsPerBlock + 1]));
  EXPECT_EQ(iterator.block(), 1u);
  EXPECT_FALSE(iterator.SeekBlock(blocks));
  EXPECT_FALSE(iterator.SeekBlock(~uint64_t{0}));
  TermIterator none(segment_->dictionary(), 1);
  EXPECT_FALSE(none.SeekBlock(0));
}

TEST_F(TermIteratorTest, ReportsADamagedBlock) {
  SegmentBytes bytes = *bytes_;
  bytes.at<uint64_t>(SectionKind::kTermBlockStarts, 3) = ~uint64_t{0};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  TermIterator iterator(segment->dictionary(), 0);
  size_t walked = 0;
  while (iterator.Next()) ++walked;
  EXPECT_EQ(walked, 2 * kTermsPerBlock);
  EXPECT_EQ(iterator.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(iterator.Next());
}

}  // namespace term_iterator_test
}  // namespace pmdex
