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
  EXPECT_EQ(FaultOfSegmentIds({}, {}, 0), std::nullopt);
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7, 2}), WithIds({5}), 8), std::nullopt);
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7}), {}, kSegmentIdLimit), std::nullopt);
}

TEST(FaultOfSegmentIds, SaysWhichIdIsWrong) {
  EXPECT_EQ(FaultOfSegmentIds(WithIds({7, 2, 7}), {}, 8), "segment 7 is listed twice");
  EXPECT_EQ(FaultOfSegmentIds(WithIds({2}), WithIds({2}), 8), "segment 2 is listed twice");
  EXPECT_EQ(FaultOfSegmentIds(WithIds({2}), WithIds({9}), 9),
            "the next segment id is 9, and segment 9 is in use");
  EXPECT_TRUE(FaultOfSegmentIds({}, {}, kSegmentIdLimit + 1).has_value());
}

}  // namespace manifest_segment_test
}  // namespace pmdex
