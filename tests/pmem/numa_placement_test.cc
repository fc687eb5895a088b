#include "pmem/numa_placement.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/forwarding_directory.h"
#include "pmem/huge_buffer.h"

namespace pmdex {
namespace numa_placement_test {

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

// Persistent memory, as its stores say.
class DaxDirectory : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  StoreGranularity granularity() const override { return StoreGranularity::kCacheLine; }
};

TEST(NodeOfMedium, IsThatOfThePersistentMemoryAndNoneOfAPageCache) {
  namespace fs = std::filesystem;
  const std::string root = testing::TempDir() + "/node-of-medium";
  fs::remove_all(root);
  fs::create_directories(root + "/store");
  struct stat facts;
  ASSERT_EQ(stat((root + "/store").c_str(), &facts), 0);
  // What the kernel would show if the device of this file system were persistent memory.
  const std::string device = root + "/sys/devices/region1/namespace1.0/block/pmem1";
  fs::create_directories(device);
  fs::create_directories(root + "/sys/dev/block");
  fs::create_symlink(device, root + "/sys/dev/block/" + std::to_string(major(facts.st_dev)) + ":" +
                                 std::to_string(minor(facts.st_dev)));
  std::ofstream(root + "/sys/devices/region1/namespace1.0/numa_node") << "1\n";
  auto store = OpenFileDirectory(root + "/store", {});
  ASSERT_TRUE(store.ok()) << store.status();
  const DaxDirectory persistent(**store);
  EXPECT_EQ(NodeOfMedium(persistent, root), 1);
  std::ofstream(root + "/sys/devices/region1/target_node") << "3\n";
  EXPECT_EQ(NodeOfMedium(persistent, root), 1);  // a thread needs CPUs
  fs::remove(root + "/sys/devices/region1/namespace1.0/numa_node");
  EXPECT_EQ(NodeOfMedium(persistent, root), 3);
  if ((*store)->granularity() == StoreGranularity::kPage) {
    EXPECT_EQ(NodeOfMedium(**store, root), std::nullopt);
  }
  const auto memory = NewDramDirectory("x");
  EXPECT_EQ(NodeOfMedium(*memory, root), std::nullopt);
  fs::remove_all(root);
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

}  // namespace numa_placement_test
}  // namespace pmdex
