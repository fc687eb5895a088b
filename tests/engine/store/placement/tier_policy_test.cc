#include "engine/store/placement/tier_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/placement/segment_heat.h"

namespace pmdex {
namespace tier_policy_test {

using Ids = std::vector<uint64_t>;
constexpr uint64_t kNow = 1'000'000;

ManifestSegment SegmentOf(uint64_t id, uint64_t bytes, uint64_t heat, uint64_t created_s,
                          Tier tier = Tier::kUncompressed) {
  ManifestSegment segment;
  segment.id = id;
  segment.file_bytes = bytes;
  segment.heat = heat;
  segment.created_s = created_s;
  segment.tier = tier;
  return segment;
}

Manifest Listed() {
  Manifest manifest;
  manifest.segments = {SegmentOf(9, 100, 50, kNow - 10), SegmentOf(2, 1000, 60, kNow - 5000),
                       SegmentOf(17, 10, 1, 0), SegmentOf(4, 500, 0, kNow + 9),
                       SegmentOf(5, 7, 0, 1, Tier::kCompressed)};
  return manifest;
}

absl::StatusOr<Ids> Choose(const TierPolicy& policy) {
  return ChooseSegments(Listed(), policy, Tier::kUncompressed, kNow);
}

TEST(TierPolicy, ChoosesByName) {
  EXPECT_EQ(*Choose({.segments = {"segment-0000000000000011.pmdex", "9"}}), (Ids{9, 17}));
  EXPECT_EQ(*Choose({.segments = {"segment-0000000000000005", "5"}}), (Ids{5}));
  for (const char* name : {"segment-0000000000000003", "3", "", "segment", "9x", "../9"}) {
    EXPECT_TRUE(absl::IsNotFound(Choose({.segments = {name}}).status())) << name;
  }
}

TEST(TierPolicy, ChoosesTheLeastSearchedUntilTheyMakeSoManyBytes) {
  EXPECT_EQ(*Choose({.coldest_bytes = 0}), Ids{});
  EXPECT_EQ(*Choose({.coldest_bytes = 1}), (Ids{4}));
  EXPECT_EQ(*Choose({.coldest_bytes = 501}), (Ids{2, 4}));  // 60/1000 is less than 1/10
  EXPECT_EQ(*Choose({.coldest_bytes = 1501}), (Ids{2, 17, 4}));
  EXPECT_EQ(*Choose({.coldest_bytes = UINT64_MAX}), (Ids{9, 2, 17, 4}));
}

TEST(TierPolicy, ChoosesByAgeWhereItIsKnown) {
  EXPECT_EQ(*Choose({.older_than_s = 100}), (Ids{2, 5}));
  EXPECT_EQ(*Choose({.older_than_s = 5000}), (Ids{5}));
  EXPECT_EQ(*Choose({.older_than_s = 0}), (Ids{9, 2, 5}));
}

TEST(TierPolicy, WantsExactlyOneWayToChoose) {
  EXPECT_EQ(*Choose({.all = true}), (Ids{9, 2, 17, 4, 5}));
  EXPECT_TRUE(absl::IsInvalidArgument(Choose({}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Choose({.segments = {"9"}, .all = true}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Choose({.coldest_bytes = 1, .older_than_s = 1}).status()));
}

TEST(TierPolicy, ReadsAges) {
  EXPECT_EQ(ParseAge("90s"), 90u);
  EXPECT_EQ(ParseAge("10m"), 600u);
  EXPECT_EQ(ParseAge("2h"), 7200u);
  EXPECT_EQ(ParseAge("7d"), 604800u);
  EXPECT_EQ(ParseAge("1w"), 604800u);
  for (const char* text :
       {"", "7", "d", "-1d", "7 d", "7y", "99999999999999999999d", "18446744073709551615w"}) {
    EXPECT_FALSE(ParseAge(text).has_value()) << text;
  }
}

TEST(SegmentHeat, CountsListedSegmentsAndStartsAnewWhenTaken) {
  const Manifest listed = Listed();
  SegmentHeat heat(listed);
  for (const uint64_t id : {9, 9, 4}) {
    for (size_t i = 0; i < listed.segments.size(); ++i) {
      if (listed.segments[i].id == id) heat.Count(i);
    }
  }
  EXPECT_EQ(heat.Take(), (std::map<uint64_t, uint64_t>{{4, 1}, {9, 2}}));
  EXPECT_TRUE(heat.Take().empty());
}

}  // namespace tier_policy_test
}  // namespace pmdex
