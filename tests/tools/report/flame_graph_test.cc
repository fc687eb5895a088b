#include "tools/report/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmdex {
namespace flame_graph_test {

using testing::HasSubstr;
using testing::Not;

TEST(FlameGraph, ShowsTheShareOfEachFrame) {
  const std::string svg = FlameGraphSvg({{{"scoring", "A::B"}, 3}, {{"bounds", "C"}, 1}});
  EXPECT_THAT(svg, HasSubstr("<title>all: 100.0 % of 4 samples</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>scoring: 75.0 % of 4 samples</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>A::B: 75.0 % of 4 samples</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>C: 25.0 % of 4 samples</title>"));
}

TEST(FlameGraph, LeavesOutFramesThatAreTooNarrowToSee) {
  const std::string svg = FlameGraphSvg({{{"wide"}, 1'000'000}, {{"narrow"}, 1}});
  EXPECT_THAT(svg, HasSubstr("wide"));
  EXPECT_THAT(svg, Not(HasSubstr("narrow")));
}

TEST(FlameGraph, EscapesNames) {
  EXPECT_THAT(FlameGraphSvg({{{"<script>"}, 1}}), Not(HasSubstr("<script>")));
}

TEST(FlameGraph, IsEmptyWithoutSamples) {
  EXPECT_EQ(FlameGraphSvg({}), "");
}

}  // namespace flame_graph_test
}  // namespace pmdex
