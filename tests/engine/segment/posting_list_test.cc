#include "engine/segment/posting_list.h"

#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace {

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

}  // namespace
}  // namespace pmdex
