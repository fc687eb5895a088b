#include "engine/store/records/manifest_property.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pmdex {
namespace {

TEST(ManifestProperty, ComesBackAsItWasEncoded) {
  std::map<std::string, std::string> properties;
  EXPECT_TRUE(DecodeProperty(EncodeProperty("key", "a value"), properties));
  EXPECT_TRUE(DecodeProperty(EncodeProperty("", ""), properties));
  EXPECT_EQ(properties, (std::map<std::string, std::string>{{"key", "a value"}, {"", ""}}));
}

TEST(ManifestProperty, RefusesAKeyWithoutAnEnd) {
  std::map<std::string, std::string> properties;
  const std::vector<std::byte> bytes = EncodeProperty("key", "");
  EXPECT_FALSE(DecodeProperty(std::span(bytes).first(3), properties));
  EXPECT_TRUE(properties.empty());
}

}  // namespace
}  // namespace pmdex
