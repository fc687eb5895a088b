#include "tools/server/json_shape.h"

#include <gtest/gtest.h>

#include <string>

namespace pmdex {
namespace {

TEST(JsonShape, CountsDepthAndMembers) {
  EXPECT_EQ(ShapeOfJson("").deepest, 0);
  EXPECT_EQ(ShapeOfJson("12").deepest, 0);
  const JsonShape shape = ShapeOfJson(R"({"a": [1, {"b": 2}], "c": {}})");
  EXPECT_EQ(shape.deepest, 3);
  EXPECT_EQ(shape.members, 3);
}

TEST(JsonShape, PassesOverStrings) {
  const JsonShape shape = ShapeOfJson(R"({"a:[[[": "{\"[[:\\", "b": "]"})");
  EXPECT_EQ(shape.deepest, 1);
  EXPECT_EQ(shape.members, 2);
}

TEST(JsonShape, EndsWithAnyText) {
  EXPECT_EQ(ShapeOfJson("]]}}[").deepest, 1);
  EXPECT_EQ(ShapeOfJson("\"\\").deepest, 0);
  EXPECT_EQ(ShapeOfJson(std::string(1'000'000, '[')).deepest, 1'000'000);
}

}  // namespace
}  // namespace pmdex
