#include "engine/segment/postings/bound_builder.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace bound_builder_test {

bool Dominates(const BoundPoints& points, uint32_t tf, uint8_t code) {
  for (size_t i = 0; i < 4; ++i) {
    if (points.tf[i] >= std::min<uint32_t>(tf, 255) && points.length_code[i] <= code) return true;
  }
  return false;
}

TEST(BoundBuilder, KeepsAFrontierOfFourExactly) {
  BoundBuilder bounds;
  for (const auto& [tf, code] : std::vector<std::pair<uint32_t, uint8_t>>{
           {1, 10}, {2, 20}, {3, 30}, {4, 40}, {1, 11}, {2, 25}, {4, 200}}) {
    bounds.Add(tf, code);
  }
  const BoundPoints points = bounds.Points();
  const std::vector<int> tf(points.tf, points.tf + 4);
  const std::vector<int> codes(points.length_code, points.length_code + 4);
  EXPECT_EQ(tf, std::vector<int>({4, 3, 2, 1}));
  EXPECT_EQ(codes, std::vector<int>({40, 30, 20, 10}));
}

TEST(BoundBuilder, LeavesUnusedPointsZero) {
  BoundBuilder bounds;
  bounds.Add(7, 3);
  bounds.Add(6, 3);
  const BoundPoints points = bounds.Points();
  EXPECT_EQ(points.tf[0], 7);
  EXPECT_EQ(points.length_code[0], 3);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(points.tf[i], 0);
    EXPECT_EQ(points.length_code[i], 0);
  }
}

TEST(BoundBuilder, DominatesEveryPostingWhateverTheFrontier) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    BoundBuilder list;
    std::vector<std::pair<uint32_t, uint8_t>> all;
    for (int block = 0; block < 3; ++block) {
      BoundBuilder bounds;
      std::vector<std::pair<uint32_t, uint8_t>> postings;
      for (int i = 0; i < 256; ++i) {
        // Longer documents with greater frequencies: frontiers become long.
        const uint32_t tf = 1 + random() % (round < 100 ? 10 : 400);
        const auto code = static_cast<uint8_t>(std::min<uint32_t>(255, tf / 2 + random() % 60));
        postings.emplace_back(tf, code);
        bounds.Add(tf, code);
      }
      const BoundPoints points = bounds.Points();
      for (const auto& [tf, code] : postings) ASSERT_TRUE(Dominates(points, tf, code));
      all.insert(all.end(), postings.begin(), postings.end());
      list.Add(bounds);
    }
    const BoundPoints points = list.Points();
    for (const auto& [tf, code] : all) ASSERT_TRUE(Dominates(points, tf, code));
    uint8_t least_code = 255;
    for (const auto& [tf, code] : all) least_code = std::min(least_code, code);
    // Merging makes no point better than the best tf with the best code.
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(points.tf[i] == 0 || points.length_code[i] >= least_code);
  }
}

TEST(BoundBuilder, IsEmptyAfterClear) {
  BoundBuilder bounds;
  bounds.Add(1000, 0);
  bounds.Clear();
  bounds.Add(2, 9);
  const BoundPoints points = bounds.Points();
  EXPECT_EQ(points.tf[0], 2);
  EXPECT_EQ(points.length_code[0], 9);
  EXPECT_EQ(points.tf[1], 0);
}

}  // namespace bound_builder_test
}  // namespace pmdex
