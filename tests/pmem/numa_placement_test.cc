#include "pmem/numa_placement.h"

#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/huge_buffer.h"

namespace pmdex {
namespace {

using Cpus = std::vector<int>;

NumaNode Node(int id, Cpus cpus) {
  NumaNode node;
  node.id = id;
  node.cpus = std::move(cpus);
  return node;
}

TEST(KeepUsable, KeepsNodesWithCpusThatTheProcessMayRunOn) {
  const std::vector<NumaNode> machine = {Node(0, {0, 1, 2, 3}), Node(1, {4, 5, 6, 7}),
                                         Node(2, {})};  // memory only
  const auto all = KeepUsable(machine, Cpus{0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].id, 1);
  const auto some = KeepUsable(machine, Cpus{1, 6, 7});
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].cpus, Cpus{1});
  EXPECT_EQ(some[1].cpus, (Cpus{6, 7}));
}

TEST(KeepUsable, FindsNothingToSpreadOverOnOneNode) {
  const std::vector<NumaNode> machine = {Node(0, {0, 1}), Node(1, {2, 3})};
  EXPECT_TRUE(KeepUsable(machine, Cpus{2, 3}).empty());
  EXPECT_TRUE(KeepUsable({Node(0, {0, 1})}, Cpus{0, 1}).empty());
  EXPECT_TRUE(KeepUsable({}, Cpus{0}).empty());
}

TEST(UsableNumaNodes, AreNoneOnThisMachineIfItHasOneNodeWithCpus) {
  size_t with_cpus = 0;
  for (const NumaNode& node : ReadNumaNodes()) with_cpus += node.cpus.empty() ? 0 : 1;
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed.ok()) << allowed.status();
  const size_t usable = UsableNumaNodes().size();
  if (with_cpus < 2) {
    EXPECT_EQ(usable, 0u);
  } else {
    EXPECT_LE(usable, with_cpus);
  }
}

TEST(RunOnCpus, BindsTheCallingThreadAlone) {
  const auto before = AllowedCpus();
  ASSERT_TRUE(before.ok()) << before.status();
  const int last = before->back();
  std::thread([last] {
    ASSERT_TRUE(RunOnCpus(Cpus{last}).ok());
    EXPECT_EQ(*AllowedCpus(), Cpus{last});
  }).join();
  EXPECT_EQ(*AllowedCpus(), *before);
}

TEST(RunOnCpus, RefusesNoCpuAndCpusThatAreNotThere) {
  EXPECT_EQ(RunOnCpus({}).code(), absl::StatusCode::kInvalidArgument);
  const auto before = AllowedCpus();
  EXPECT_FALSE(RunOnCpus(Cpus{60000}).ok());
  EXPECT_EQ(*AllowedCpus(), *before);
}

TEST(NodesOfPages, KnowsThePagesThatWereTouched) {
  const long page = sysconf(_SC_PAGESIZE);
  HugeBuffer buffer(static_cast<size_t>(2 * page));  // too small for a page of 2 MiB
  buffer.data()[0] = std::byte{1};
  const void* const addresses[] = {buffer.data(), buffer.data() + page};
  const auto nodes = NodesOfPages(addresses);
  if (nodes.status().code() == absl::StatusCode::kUnimplemented) GTEST_SKIP() << nodes.status();
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_GE(nodes->at(0), 0);
  EXPECT_EQ(nodes->at(1), -1);  // not touched
  EXPECT_TRUE(NodesOfPages({})->empty());
}

}  // namespace
}  // namespace pmdex
