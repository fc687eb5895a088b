#include "engine/store/manifest_segment.h"

#include <gtest/gtest.h>

#include <vector>

namespace pmdex {
namespace manifest_segment_test {

std::vector<ManifestSegment> WithIds(std::initializer_list<uint64_t> ids) {
  std::vector<ManifestSegment> segments;
  for (const uint64_t id : ids) segments.emplace_back().id = id;
  return segments;
}

TEST(FaultOfSegmentIds, IsNoneWhereAllIdsDifferAndTheNextIsGreater) {
  EXPECT_EQ(FaultOfSegmentIds({}, {}, {}, 0), std::nullopt);
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7, 2}), WithIds({5}), {}, 8), std::nullopt);
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7}), {}, {}, kSegmentIdLimit), std::nullopt);
}

KeptCopy CopyOf(uint64_t segment, uint64_t id) {
  KeptCopy copy;
  copy.of = segment;
  copy.file.id = id;
  return copy;
}

TEST(FaultOfSegmentIds, CountsCopiesAsFiles) {
  using Copies = std::vector<KeptCopy>;
  const auto fault = [](const Copies& copies) {
    return FaultOfSegmentIds(WithIds({2, 3}), WithIds({5}), copies, 8);
  };
  EXPECT_EQ(fault({CopyOf(2, 6), CopyOf(3, 7)}), std::nullopt);
  EXPECT_TRUE(fault({CopyOf(2, 6), CopyOf(2, 7)}).has_value());
  EXPECT_TRUE(fault({CopyOf(2, 3)}).has_value());
  EXPECT_TRUE(fault({CopyOf(4, 6)}).has_value()) << "of no segment";
  EXPECT_TRUE(fault({CopyOf(5, 6)}).has_value()) << "of a pending segment";
  EXPECT_TRUE(fault({CopyOf(2, 8)}).has_value()) << "the next id";
}

TEST(FaultOfSegmentIds, SaysWhichIdIsWrong) {
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7, 2, 7}), {}, {}, 8), "segment 7 is listed twice");
  EXPECT_EQ(FaultOfSegmentIds(WithIds({2}), WithIds({2}), {}, 8), "segment 2 is listed twice");
  EXPECT_EQ(FaultOfSegmentIds(WithIds({2}), WithIds({9}), {}, 9),
            "the next segment id is 9, and segment 9 is in use");
  EXPECT_TRUE(FaultOfSegmentIds({}, {}, {}, kSegmentIdLimit + 1).has_value());
}

}  // namespace manifest_segment_test
}  // namespace pmdex
