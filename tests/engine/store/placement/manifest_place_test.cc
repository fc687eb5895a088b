#include "engine/store/placement/manifest_place.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/manifest.h"

namespace pmdex {
namespace manifest_place_test {

ManifestPlace PlaceAt(uint32_t number, const std::string& path) {
  ManifestPlace place{number, PlaceRole::kUncompressed, {}, path};
  place.mark.fill(std::byte{0xab});
  return place;
}

Manifest ManifestWith(const std::vector<ManifestPlace>& places) {
  Manifest manifest;
  manifest.generation = 1;
  manifest.next_segment_id = 3;
  manifest.places = places;
  for (uint64_t id = 1; id <= 2; ++id) {
    ManifestSegment segment;
    segment.id = id;
    segment.place = places.empty() ? 0 : places.back().number;
    manifest.segments.push_back(segment);
  }
  return manifest;
}

absl::Status Decoded(const Manifest& manifest) {
  return DecodeManifest(EncodeManifest(manifest), "manifest-1").status();
}

TEST(ManifestPlace, IsReadAsItWasWritten) {
  const ManifestPlace place{kMaxPlaces, PlaceRole::kRetired, PlaceAt(1, "/").mark, "/mnt/pmem 0/x"};
  EXPECT_EQ(DecodePlace(EncodePlace(place)), place);
  const auto manifest = DecodeManifest(
      EncodeManifest(ManifestWith({PlaceAt(1, "/a"), PlaceAt(7, "/a/b")})), "manifest-1");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->places[1], PlaceAt(7, "/a/b"));
  EXPECT_EQ(manifest->segments[1].place, 7u);
}

TEST(ManifestPlace, AddsNothingToAManifestWithoutPlaces) {
  Manifest with = ManifestWith({PlaceAt(1, "/a")});
  const size_t bytes = EncodeManifest(with).size();
  with.places.clear();
  EXPECT_EQ(bytes - EncodeManifest(with).size(), 40u);  // 8 of the record, 24, 2 and 6 zeros
}

TEST(ManifestPlace, RefusesEveryPathThatIsNotAbsoluteInItsShortestForm) {
  const std::string long_name(256, 'n');
  for (const std::string& path :
       {std::string(""), std::string("a"), std::string("../a"), std::string("/"),
        std::string("/a/"), std::string("/a//b"), std::string("/a/../b"), std::string("/./a"),
        std::string("/a/.."), std::string("/a\0b", 4), "/" + long_name, std::string("//a")}) {
    EXPECT_FALSE(DecodePlace(EncodePlace(PlaceAt(1, path))).has_value()) << path;
    EXPECT_TRUE(absl::IsDataLoss(Decoded(ManifestWith({PlaceAt(1, path)})))) << path;
  }
  std::string too_long;
  while (too_long.size() <= 4095) too_long += "/" + std::string(200, 'n');
  EXPECT_FALSE(DecodePlace(EncodePlace(PlaceAt(1, too_long))).has_value());
}

TEST(ManifestPlace, RefusesNumbersAndRolesThatDoNotExist) {
  EXPECT_FALSE(DecodePlace(EncodePlace(PlaceAt(0, "/a"))).has_value());
  EXPECT_FALSE(DecodePlace(EncodePlace(PlaceAt(kMaxPlaces + 1, "/a"))).has_value());
  ManifestPlace place = PlaceAt(1, "/a");
  place.role = static_cast<PlaceRole>(3);
  EXPECT_FALSE(DecodePlace(EncodePlace(place)).has_value());
  EXPECT_FALSE(DecodePlace(std::vector<std::byte>(23)).has_value());
}

TEST(ManifestPlace, RefusesPlacesThatAreListedTwiceOrNotAtAll) {
  EXPECT_TRUE(absl::IsDataLoss(Decoded(ManifestWith({PlaceAt(1, "/a"), PlaceAt(1, "/b")}))));
  EXPECT_TRUE(absl::IsDataLoss(Decoded(ManifestWith({PlaceAt(1, "/a"), PlaceAt(2, "/a")}))));
  Manifest manifest = ManifestWith({PlaceAt(1, "/a")});
  EXPECT_EQ(FaultOfPlaces(manifest.places, manifest.segments), std::nullopt);
  EXPECT_EQ(FindPlace(manifest.places, 1)->path, "/a");
  EXPECT_EQ(FindPlace(manifest.places, 2), nullptr);
  manifest.segments[0].place = 2;
  EXPECT_TRUE(absl::IsDataLoss(Decoded(manifest)));
  manifest.segments[0].place = 0;
  EXPECT_TRUE(Decoded(manifest).ok());
  manifest.pending.emplace().segments.push_back({.id = 1, .place = 9});
  manifest.segments.clear();
  EXPECT_TRUE(absl::IsDataLoss(Decoded(manifest)));
}

}  // namespace manifest_place_test
}  // namespace pmdex
