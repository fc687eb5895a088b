#include "engine/segment/postings/posting_list.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace posting_list_test {

// Lanes made by hand: 20 postings of two positions each, posting 17 with a page mark.
class PostingListTest : public testing::Test {
 protected:
  PostingListTest() {
    for (uint32_t i = 0; i < 20; ++i) {
      docids_.push_back(i * 3);
      freqs_.push_back(i == 17 ? kFreqEscape : 2);
      codes_.push_back(9);
      if (i == 16) groups_.push_back(static_cast<uint32_t>(positions_.size()));
      positions_.push_back(static_cast<uint16_t>(i));
      if (i == 17) positions_.push_back(kPositionPageMark);
      positions_.push_back(static_cast<uint16_t>(i + 100));
    }
    list_.df = 20;
    list_.docids = docids_.data();
    list_.freqs = freqs_.data();
    list_.codes = codes_.data();
    list_.groups = groups_.data();
    list_.positions = positions_;
    list_.overflow = overflow_;
  }
  // None at all is what a test expects of a posting whose bytes make no sense.
  std::vector<uint32_t> Read(uint32_t i) const {
    std::vector<uint32_t> positions{1, 2, 3};
    const absl::Status status = list_.ReadPositions(i, positions);
    EXPECT_EQ(absl::IsDataLoss(status), positions.empty() && !list_.positions.empty());
    return positions;
  }

  std::vector<uint32_t> docids_;
  std::vector<uint8_t> freqs_;
  std::vector<uint8_t> codes_;
  std::vector<uint32_t> groups_;
  std::vector<uint16_t> positions_;
  std::vector<OverflowEntry> overflow_{{17, 2, 3}};
  PostingListView list_;
};

TEST_F(PostingListTest, ReadsPositionsAcrossGroupsAndPages) {
  EXPECT_EQ(Read(0), std::vector<uint32_t>({0, 100}));
  EXPECT_EQ(Read(15), std::vector<uint32_t>({15, 115}));
  EXPECT_EQ(Read(16), std::vector<uint32_t>({16, 116}));
  EXPECT_EQ(Read(17), std::vector<uint32_t>({17, 65535 + 117}));
  EXPECT_EQ(Read(19), std::vector<uint32_t>({19, 119}));
  EXPECT_EQ(list_.Freq(16), 2u);
  EXPECT_EQ(list_.Freq(17), 2u);
}

TEST_F(PostingListTest, ReportsBytesThatMakeNoSense) {
  groups_[0] = 0xffffffff;
  EXPECT_TRUE(Read(16).empty());
  EXPECT_TRUE(Read(19).empty());
  groups_[0] = 32;
  overflow_[0].position_entries = 0xffffffff;
  EXPECT_TRUE(Read(17).empty());
  EXPECT_TRUE(Read(18).empty());
  overflow_[0] = {17, 7, 3};  // three entries do not hold seven positions
  EXPECT_TRUE(Read(17).empty());
  list_.overflow = {};
  EXPECT_TRUE(Read(17).empty());
  EXPECT_EQ(list_.Freq(17), 255u);
  positions_[1] = 0;  // not ascending
  EXPECT_TRUE(Read(0).empty());
  list_.positions = std::span(positions_).first(3);
  EXPECT_TRUE(Read(1).empty());
}

TEST_F(PostingListTest, RefusesPositionsBeyond32Bits) {
  const std::vector<uint16_t> marks(65538, kPositionPageMark);
  std::vector<uint16_t> entries = marks;
  entries.push_back(7);
  positions_ = entries;
  freqs_[0] = kFreqEscape;
  overflow_ = {{0, 1, static_cast<uint32_t>(entries.size())}};
  list_.positions = positions_;
  list_.overflow = overflow_;
  EXPECT_TRUE(Read(0).empty());
  positions_.erase(positions_.begin(), positions_.begin() + 3);  // 65535 pages: still fits
  overflow_[0].position_entries -= 3;
  list_.positions = positions_;
  EXPECT_EQ(Read(0), std::vector<uint32_t>({uint32_t{65535} * 65535 + 7}));
}

TEST_F(PostingListTest, HasNoPositionsWithoutThem) {
  list_.positions = {};
  list_.groups = nullptr;
  for (uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(Read(i).empty());
}

TEST(PostingListBits, AnswerAsTheLaneOfDocidsDoes) {
  SeededRandom random(3);
  for (const uint32_t doc_count : {1u, 63u, 64u, 65u, 511u, 512u, 513u, 1024u, 1025u, 3000u}) {
    for (const uint32_t one_in : {1u, 2u, 30u, 700u}) {
      std::vector<DocId> docs;
      for (DocId doc = 0; doc < doc_count; ++doc) {
        if (random.OneIn(one_in)) docs.push_back(doc);
      }
      const BitsetList bits(docs, doc_count);
      const PostingListView list = bits.view();
      PostingListView lane;
      lane.df = list.df;
      lane.docids = docs.data();
      for (uint32_t i = 0; i < list.df; ++i) ASSERT_EQ(list.Doc(i), lane.Doc(i));
      for (DocId doc = 0; doc < doc_count; ++doc) {
        const auto next = std::lower_bound(docs.begin(), docs.end(), doc);
        ASSERT_EQ(list.PostingOf(doc), lane.PostingOf(doc));
        ASSERT_EQ(list.Rank(doc), next - docs.begin());
        ASSERT_EQ(list.FirstFrom(doc), next == docs.end() ? 0xffffffff : *next);
      }
      EXPECT_EQ(list.PostingOf(doc_count), std::nullopt);
      EXPECT_EQ(list.PostingOf(0xffffffff), std::nullopt);
      EXPECT_EQ(list.FirstFrom(doc_count), 0xffffffffu);
      EXPECT_EQ(list.FirstFrom(0xffffffff), 0xffffffffu);
    }
  }
}

TEST(PostingListBits, StayInsideWhateverTheyHold) {
  SeededRandom random(5);
  constexpr uint32_t kDocs = 2000;
  size_t nowhere = 0;
  for (int round = 0; round < 500; ++round) {
    BitsetList bits({1, 700, 1300, 1999}, kDocs);
    for (size_t i = random.Below(4); i > 0; --i) {
      bits.ranks[random.Below(bits.ranks.size())] = static_cast<uint32_t>(random.Next());
    }
    for (size_t i = random.Below(4); i > 0; --i) {
      bits.words[random.Below(bits.words.size())] = random.OneIn(2) ? 0 : random.Next();
    }
    PostingListView list = bits.view();
    list.df = 300;
    for (uint32_t i = 0; i < list.df; ++i) {
      const DocId doc = list.Doc(i);
      if (doc == 0xffffffff) {
        ++nowhere;
      } else {
        ASSERT_LT(doc, 2048u);
      }
    }
    for (DocId doc = 0; doc < kDocs; ++doc) {
      const std::optional<uint32_t> posting = list.PostingOf(doc);
      ASSERT_TRUE(!posting.has_value() || *posting < list.df);
    }
  }
  EXPECT_GT(nowhere, 10'000u);
}

}  // namespace posting_list_test
}  // namespace pmdex
