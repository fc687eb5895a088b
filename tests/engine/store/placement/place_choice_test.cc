#include "engine/store/placement/place_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace pmdex {
namespace place_choice_test {

using Places = std::vector<uint32_t>;

ManifestSegment SegmentAt(uint32_t place, uint64_t bytes) {
  ManifestSegment segment;
  segment.place = place;
  segment.file_bytes = bytes;
  return segment;
}

TEST(PlaceChoice, PrefersThePlaceWithTheFewestBytes) {
  PlaceChoice choice;
  choice.Reset(Places{1, 2, 3}, std::vector<ManifestSegment>{SegmentAt(1, 10), SegmentAt(2, 5),
                                                             SegmentAt(0, 1), SegmentAt(2, 4)});
  EXPECT_EQ(choice.Order(), (Places{3, 2, 1}));
}

TEST(PlaceChoice, PrefersThePlaceWhereTheFewestSegmentsAreBeingWritten) {
  PlaceChoice choice;
  choice.Reset(Places{1, 2}, {});
  choice.Begin(1);
  EXPECT_EQ(choice.Order(), (Places{2, 1}));
  choice.Begin(2);
  choice.End(2, 7);
  EXPECT_EQ(choice.Order(), (Places{2, 1}));
  choice.End(1, 3);
  EXPECT_EQ(choice.Order(), (Places{1, 2}));
  choice.Begin(1);
  choice.End(1, 0);  // it failed
  EXPECT_EQ(choice.Order(), (Places{1, 2}));
}

TEST(PlaceChoice, LeavesOutPlacesThatTakeNoSegments) {
  PlaceChoice choice;
  choice.Reset(Places{0}, std::vector<ManifestSegment>{SegmentAt(4, 10)});
  EXPECT_EQ(choice.Order(), (Places{0}));
}

}  // namespace place_choice_test
}  // namespace pmdex
