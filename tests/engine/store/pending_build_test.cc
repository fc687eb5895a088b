#include "engine/store/pending_build.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace pending_build_test {

PendingBuild Example() {
  PendingBuild build;
  build.mode = OpenMode::kOverwrite;
  build.options = "some options";
  build.progress = {std::byte{9}, std::byte{8}};
  return build;
}

TEST(PendingBuild, ComesBackAsItWasEncoded) {
  const auto decoded = DecodePendingBuild(EncodePendingBuild(Example()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->mode, OpenMode::kOverwrite);
  EXPECT_EQ(decoded->options, "some options");
  EXPECT_EQ(decoded->progress, Example().progress);
}

TEST(PendingBuild, RefusesEveryTruncationAndExtension) {
  std::vector<std::byte> payload = EncodePendingBuild(Example());
  for (size_t length = 0; length < payload.size(); ++length) {
    EXPECT_FALSE(DecodePendingBuild(std::span(payload).first(length)).has_value()) << length;
  }
  payload.push_back(std::byte{0});
  EXPECT_FALSE(DecodePendingBuild(payload).has_value());
}

TEST(PendingBuild, RefusesLengthsThatOverflowAndAnUnknownMode) {
  const std::vector<std::byte> good = EncodePendingBuild(Example());
  for (size_t i = 4; i < 16; ++i) {
    std::vector<std::byte> bad = good;
    bad[i] = std::byte{0xff};
    EXPECT_FALSE(DecodePendingBuild(bad).has_value()) << i;
  }
  std::vector<std::byte> bad = good;
  bad[0] = std::byte{3};
  EXPECT_FALSE(DecodePendingBuild(bad).has_value());
}

TEST(PendingBuild, CreatingAndOverwritingAreOneKind) {
  EXPECT_TRUE(IsSameKind(OpenMode::kCreate, OpenMode::kOverwrite));
  EXPECT_TRUE(IsSameKind(OpenMode::kAppend, OpenMode::kAppend));
  EXPECT_FALSE(IsSameKind(OpenMode::kAppend, OpenMode::kCreate));
}

}  // namespace pending_build_test
}  // namespace pmdex
