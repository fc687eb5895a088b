#include "engine/store/placement/place_mark.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/store/placement/placement_options.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace place_mark_test {

constexpr char kText[] =
    "pmdex place 1\n"
    "mark 00112233445566778899aabbccddeeff\n"
    "index /mnt/a\nb\n";

TEST(PlaceMark, IsReadAsItWasWritten) {
  const auto owner = DecodePlaceOwner(kText);
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->index, "/mnt/a\nb");
  EXPECT_EQ(owner->mark[15], std::byte{0xff});
  EXPECT_EQ(EncodePlaceOwner(*owner), kText);
  const auto directory = NewDramDirectory("place");
  ASSERT_TRUE(WritePlaceOwner(*directory, *owner).ok());
  ASSERT_TRUE(WritePlaceOwner(*directory, {owner->mark, "/other"}).ok());
  EXPECT_EQ(ReadPlaceOwner(*directory)->index, "/other");
  EXPECT_EQ(FileNames(*directory), (std::set<std::string>{"pmdex-place"}));
}

TEST(PlaceMark, RefusesEveryTextThatDiffersInOneByte) {
  const std::string text = kText;
  for (size_t i = 0; i < text.find("/mnt"); ++i) {
    std::string damaged = text;
    damaged[i] ^= 0x20;
    const auto owner = DecodePlaceOwner(damaged);
    EXPECT_TRUE(!owner.has_value() || owner->mark != DecodePlaceOwner(text)->mark) << i;
  }
  for (size_t length = 0; length < text.find("/mnt"); ++length) {
    EXPECT_FALSE(DecodePlaceOwner(text.substr(0, length)).has_value()) << length;
  }
  EXPECT_FALSE(DecodePlaceOwner(text.substr(0, text.size() - 1)).has_value());
}

TEST(PlaceMark, OfAnotherIndexIsNotAccepted) {
  const auto directory = NewDramDirectory("place");
  const ManifestPlace listed{1, PlaceRole::kUncompressed, DecodePlaceOwner(kText)->mark, "/p"};
  EXPECT_EQ(CheckPlaceMark(*directory, listed).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(WritePlaceOwner(*directory, {listed.mark, "/index"}).ok());
  EXPECT_TRUE(CheckPlaceMark(*directory, listed).ok());
  ASSERT_TRUE(WritePlaceOwner(*directory, {*NewPlaceMark(), "/index"}).ok());
  EXPECT_EQ(CheckPlaceMark(*directory, listed).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(PlaceMark, ThatIsDamagedOrVeryLongIsDataLoss) {
  const auto directory = NewDramDirectory("place");
  WriteStranger(*directory, kPlaceMarkName, "pmdex place 2\n");
  EXPECT_TRUE(absl::IsDataLoss(ReadPlaceOwner(*directory).status()));
  ASSERT_TRUE(directory->Remove(kPlaceMarkName).ok());
  WriteStranger(*directory, kPlaceMarkName, kText + std::string(kMaxPlaceMarkBytes, 'x') + "\n");
  EXPECT_TRUE(absl::IsDataLoss(ReadPlaceOwner(*directory).status()));
}

TEST(PlaceMark, IsAnotherOneForEachIndex) {
  EXPECT_NE(*NewPlaceMark(), *NewPlaceMark());
}

}  // namespace place_mark_test
}  // namespace pmdex
