// Groups on nodes that are made up: two "nodes" whose CPUs this machine has, so that binding,
// lanes and counting run on a machine of one node as well.
#include "engine/ingest/pipeline/node_groups.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/bounded_queue.h"
#include "engine/ingest/pipeline/group_queues.h"
#include "pmem/forwarding_directory.h"
#include "pmem/huge_buffer.h"
#include "pmem/numa_placement.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace node_groups_test {

using Groups = std::vector<size_t>;

NumaNode Node(int id, std::vector<int> cpus) {
  NumaNode node;
  node.id = id;
  node.cpus = std::move(cpus);
  return node;
}

// The first and the last CPU of this process: two nodes, also where they are one CPU.
std::vector<NumaNode> MadeUpNodes(int first_id, int second_id) {
  const auto cpus = AllowedCpus();
  EXPECT_TRUE(cpus.ok()) << cpus.status();
  return {Node(first_id, {cpus->front()}), Node(second_id, {cpus->back()})};
}

TEST(NodeGroups, AreOneWithoutTwoNodesOrTwoIndexers) {
  EXPECT_EQ(NodeGroups({}, 8).count(), 1u);
  EXPECT_EQ(NodeGroups({Node(0, {0, 1})}, 8).count(), 1u);
  EXPECT_EQ(NodeGroups({Node(0, {0}), Node(1, {1})}, 1).count(), 1u);
  EXPECT_EQ(NodeGroups({Node(0, {0, 1}), Node(1, {})}, 8).count(), 1u);  // memory only
  EXPECT_EQ(NodeGroups({Node(0, {0}), Node(1, {1})}, 2).count(), 2u);
}

TEST(NodeGroups, ASingleOneBindsNothingAndCountsNothing) {
  std::thread([] {
    NodeGroups groups({Node(0, {0})}, 8);
    const auto before = AllowedCpus();
    ASSERT_TRUE(groups.Enter(0).ok());
    EXPECT_EQ(*AllowedCpus(), *before);
    EXPECT_EQ(NodeGroups::Current(), 0u);
    const int here = 0;
    const void* const address[] = {&here};
    groups.CountPages(address);
    EXPECT_EQ(groups.report().local_pages + groups.report().remote_pages, 0u);
    EXPECT_TRUE(groups.report().nodes.empty());
  }).join();
}

TEST(NodeGroups, DealThreadsByTheNumberOfCpus) {
  const NodeGroups even({Node(0, {0, 1}), Node(1, {2, 3})}, 4);
  EXPECT_EQ(even.Deal(5), (Groups{0, 1, 0, 1, 0}));
  const NodeGroups uneven({Node(0, {0}), Node(1, {1, 2, 3})}, 4);
  EXPECT_EQ(uneven.Deal(4), (Groups{1, 1, 0, 1}));
  EXPECT_EQ(NodeGroups({}, 1).Deal(3), (Groups{0, 0, 0}));
}

TEST(NodeGroups, DealThreadsToTheNodeOfAMediumWhereThereIsOne) {
  const NodeGroups groups({Node(3, {0, 1}), Node(5, {2, 3})}, 4);
  EXPECT_EQ(groups.DealTo(5, 3), (Groups{1, 1, 1}));
  EXPECT_EQ(groups.DealTo(4, 3), (Groups{0, 1, 0}));  // a node without CPUs
  EXPECT_EQ(groups.DealTo(std::nullopt, 2), (Groups{0, 1}));
  EXPECT_EQ(NodeGroups({}, 1).DealTo(0, 2), (Groups{0, 0}));
}

TEST(NodeGroups, EnteringBindsTheThreadToTheNode) {
  const std::vector<NumaNode> nodes = MadeUpNodes(0, 1);
  const NodeGroups groups(nodes, 2);
  for (const size_t group : {0, 1}) {
    std::thread([&] {
      ASSERT_TRUE(groups.Enter(group).ok());
      EXPECT_EQ(NodeGroups::Current(), group);
      EXPECT_EQ(*AllowedCpus(), nodes[group].cpus);
    }).join();
  }
  EXPECT_EQ(NodeGroups::Current(), 0u);  // of a thread that has entered none
}

TEST(NodeGroups, TellLocalPagesFromRemoteOnes) {
  HugeBuffer buffer(4096);
  buffer.data()[0] = std::byte{1};
  const void* const address[] = {buffer.data()};
  const auto where = NodesOfPages(address);
  if (!where.ok()) GTEST_SKIP() << where.status();
  NodeGroups groups(MadeUpNodes(where->front(), where->front() + 1), 2);
  std::thread([&] {
    ASSERT_TRUE(groups.Enter(0).ok());
    groups.CountPages(address);
  }).join();
  EXPECT_EQ(groups.report().local_pages, 1u);
  std::thread([&] {
    ASSERT_TRUE(groups.Enter(1).ok());
    groups.CountPages(address);
    groups.CountPages(address);
  }).join();
  EXPECT_EQ(groups.report().local_pages, 1u);
  EXPECT_EQ(groups.report().remote_pages, 2u);
}

class GroupQueuesTest : public testing::Test {
 protected:
  // Runs in a thread of the group.
  template <typename Work>
  void In(size_t group, Work work) {
    std::thread([&] {
      ASSERT_TRUE(groups_.Enter(group).ok());
      work();
    }).join();
  }
  void PushFrom(size_t group) {
    In(group, [&] {
      BlockPtr block = pool_.Acquire();
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(block->group, group);
      ASSERT_TRUE(queue_.Push(std::move(block)));
    });
  }
  size_t GroupOfNext() {
    const auto block = queue_.Pop();
    return block.has_value() ? (*block)->group : 99;
  }

  NodeGroups groups_{MadeUpNodes(0, 1), 2};
  BlockPool pool_{4096, std::vector<size_t>{4, 4}};
  BoundedQueue<BlockPtr, GroupQueues<BlockPtr>> queue_{8};
};

TEST_F(GroupQueuesTest, AThreadIsGivenBlocksOfItsOwnGroupFirst) {
  PushFrom(0);
  PushFrom(1);
  PushFrom(0);
  PushFrom(1);
  In(1, [&] {
    EXPECT_EQ(GroupOfNext(), 1u);
    EXPECT_EQ(GroupOfNext(), 1u);
  });
  In(0, [&] { EXPECT_EQ(GroupOfNext(), 0u); });
}

TEST_F(GroupQueuesTest, AGroupThatRunsDryTakesFromAnother) {
  PushFrom(0);
  PushFrom(0);
  In(1, [&] { EXPECT_EQ(GroupOfNext(), 0u); });
  queue_.Close();
  In(1, [&] {
    EXPECT_EQ(GroupOfNext(), 0u);
    EXPECT_FALSE(queue_.Pop().has_value());
  });
}

TEST_F(GroupQueuesTest, ABlockComesBackToItsGroupWhoeverHadIt) {
  std::vector<char*> made;
  In(0, [&] {
    std::vector<BlockPtr> all;
    for (int i = 0; i < 4; ++i) all.push_back(pool_.Acquire());
    for (const BlockPtr& block : all) made.push_back(block->bytes);
    for (BlockPtr& block : all) ASSERT_TRUE(queue_.Push(std::move(block)));
  });
  In(1, [&] {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(GroupOfNext(), 0u);  // and gives it back at once
  });
  In(0, [&] {
    const BlockPtr block = pool_.Acquire();
    EXPECT_NE(std::find(made.begin(), made.end(), block->bytes), made.end());
    EXPECT_EQ(block->group, 0u);
  });
}

// On which CPUs threads that begin a segment may run.
class CpuLog : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    const auto cpus = AllowedCpus();
    EXPECT_TRUE(cpus.ok());
    const std::lock_guard lock(mutex_);
    seen_.insert(*cpus);
    return ForwardingDirectory::Create(name, capacity_bytes);
  }
  std::set<std::vector<int>> seen() const { return seen_; }

 private:
  std::mutex mutex_;
  std::set<std::vector<int>> seen_;
};

TEST_F(IngestFixture, GroupedThreadsIndexTheSameAndSayWhereTheirMemoryIs) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "line " + std::to_string(i % 977) + " of input\n";
  Write("a.txt", text);
  options_.format = InputFormat::kLines;
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  options_.block_bytes = 64 << 10;
  options_.inputs = {Path("a.txt")};
  const IngestReport plain = Run({Path("a.txt")});
  EXPECT_TRUE(plain.numa.nodes.empty());

  options_.numa_nodes = MadeUpNodes(0, 70);
  CpuLog directory(*directory_);
  auto writer = IndexWriter::Open(directory, OpenMode::kOverwrite, options_.settings);
  ASSERT_TRUE(writer.ok());
  const auto grouped = Ingest(options_, **writer, nullptr);
  ASSERT_TRUE(grouped.ok()) << grouped.status();
  EXPECT_EQ(grouped->documents, plain.documents);
  EXPECT_EQ(grouped->tokens, plain.tokens);
  EXPECT_EQ(grouped->numa.nodes, (std::vector<int>{0, 70}));
  EXPECT_EQ(Find("body", "976").size(), 60'000u / 977);
  // Segments come from bound threads; which of them had anything to write is theirs.
  std::set<std::vector<int>> bound = directory.seen();
  bound.erase(*AllowedCpus());
  for (const std::vector<int>& cpus : bound) {
    EXPECT_TRUE(cpus == options_.numa_nodes[0].cpus || cpus == options_.numa_nodes[1].cpus);
  }
  EXPECT_EQ(bound.empty(), AllowedCpus()->size() == 1);
  if (NodesOfPages({}).ok()) {
    EXPECT_GT(grouped->numa.local_pages + grouped->numa.remote_pages, 0u);
  }
}

}  // namespace node_groups_test
}  // namespace pmdex
