#include "engine/segment/postings/block_positions.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace block_positions_test {

std::vector<uint32_t> ValuesOf(const BlockPositions& positions) {
  std::vector<uint32_t> values;
  for (size_t i = 0; i < positions.size(); ++i) values.push_back(positions[i]);
  return values;
}

TEST(BlockPositions, HaveTwoBytesUntilOneIsBehindTheFirstPage) {
  BlockPositions positions;
  EXPECT_EQ(positions.size(), 0u);
  positions.Append(std::vector<uint32_t>{3, kPositionPage - 1});
  EXPECT_FALSE(positions.is_wide());
  EXPECT_EQ(positions.entries()[1], kPositionPage - 1);
  positions.Append(std::vector<uint32_t>{kPositionPage});
  EXPECT_TRUE(positions.is_wide());
  EXPECT_EQ(positions.wide()[2], kPositionPage);
  positions.AppendEntries(std::vector<uint16_t>{9});
  EXPECT_EQ(ValuesOf(positions), (std::vector<uint32_t>{3, kPositionPage - 1, kPositionPage, 9}));
  positions.Clear();
  EXPECT_FALSE(positions.is_wide());
  EXPECT_EQ(positions.size(), 0u);
}

TEST(BlockPositions, KeepWhatWasAppendedInAnyWay) {
  std::mt19937 random(1);
  BlockPositions positions;
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<uint32_t> expected;
    positions.Clear();
    for (uint32_t step = random() % 20; step > 0; --step) {
      const size_t count = random() % 50;
      std::vector<uint16_t> entries(count);
      for (uint16_t& entry : entries) entry = static_cast<uint16_t>(random() % kPositionPage);
      std::vector<uint32_t> values(entries.begin(), entries.end());
      const uint32_t way = random() % 8;
      if (way == 0 && count > 0) values[random() % count] = kPositionPage + random() % 1000;
      if (way < 3) {
        positions.Append(values);
      } else if (way < 5) {
        positions.AppendEntries(entries);
      } else if (way < 7 && !positions.is_wide()) {
        std::copy(entries.begin(), entries.end(), positions.Room(count + random() % 9));
        positions.Grow(count);
      } else {
        std::copy(values.begin(), values.end(), positions.WideRoom(count + random() % 9));
        positions.Grow(count);
        EXPECT_TRUE(positions.is_wide());
      }
      expected.insert(expected.end(), values.begin(), values.end());
    }
    ASSERT_EQ(ValuesOf(positions), expected) << "turn " << turn;
  }
}

}  // namespace block_positions_test
}  // namespace pmdex
