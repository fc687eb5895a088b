// The threads of a build in groups, one for each NUMA node: a group's readers, indexers and writers
// run on the CPUs of their node, so blocks and memtables, which they touch first, lie in its
// memory. Both travel inside a group; a thread whose group has none takes another's. When segments
// go to a medium that is on a node itself, all writers are there instead.
//
// With one group, on every machine of one node, nothing is bound and nothing counted.
//
// Thread-safe; outlives the threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

class NodeGroups {
 public:
  // One group a node; a single one when there are fewer than two nodes, or indexers.
  NodeGroups(std::vector<NumaNode> nodes, int indexer_threads);

  size_t count() const { return nodes_.empty() ? 1 : nodes_.size(); }
  // The groups of this many threads of one kind, dealt out in proportion to the CPUs.
  std::vector<size_t> Deal(int threads) const;

  // All of them in the group of this node, if it has one; else dealt out.
  std::vector<size_t> DealTo(std::optional<int> node, int threads) const;

  // The calling thread belongs to the group from now on.
  absl::Status Enter(size_t group) const;
  // Of the calling thread: that which it has entered, or else the first one.
  static size_t Current();

  // Counts where the pages at these addresses are: on the node of the calling thread's group, or
  // on another one.
  void CountPages(std::span<const void* const> addresses);

  struct Report {
    std::vector<int> nodes;  // empty: one group
    uint64_t local_pages = 0;
    uint64_t remote_pages = 0;
  };
  Report report() const;

 private:
  const std::vector<NumaNode> nodes_;
  std::atomic<uint64_t> local_pages_{0};
  std::atomic<uint64_t> remote_pages_{0};
};

}  // namespace pmdex
