#include "engine/store/placement/segment_nodes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "pmem/directory.h"
#include "pmem/numa_placement.h"
#include "tests/engine/store/placement/placement_test_support.h"

namespace pmdex {
namespace segment_nodes_test {

std::vector<NumaNode> TwoNodes() {
  return {{0, 0, 0, AllowedCpus().value()}, {3, 0, 0, {60000}}};
}

TEST(SegmentNodes, KnowTheNodesOfSegments) {
  const SegmentNodes nodes(TwoNodes(), {{7, 3}, {8, 0}, {9, 5}});
  EXPECT_TRUE(nodes.is_useful());
  EXPECT_EQ(nodes.IndexOf(7), 1u);
  EXPECT_EQ(nodes.IndexOf(8), 0u);
  EXPECT_EQ(nodes.IndexOf(9), std::nullopt) << "a node that threads may not run on";
  EXPECT_EQ(nodes.IndexOf(10), std::nullopt);
  EXPECT_EQ(nodes.Current(), 0u);
  EXPECT_EQ(nodes.with_segments(), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(SegmentNodes(TwoNodes(), {{7, 3}, {8, 3}}).with_segments(), std::vector<size_t>{1});
}

TEST(SegmentNodes, AreOfNoUseWithoutTwoNodesOrWithoutSegmentsOnThem) {
  EXPECT_FALSE(SegmentNodes({}, {}).is_useful());
  EXPECT_FALSE(SegmentNodes({TwoNodes()[0]}, {{7, 0}}).is_useful());
  EXPECT_FALSE(SegmentNodes(TwoNodes(), {{7, 1}}).is_useful());
  EXPECT_EQ(SegmentNodes({}, {}).Current(), 0u);
}

}  // namespace segment_nodes_test
}  // namespace pmdex
