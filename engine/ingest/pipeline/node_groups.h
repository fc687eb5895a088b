// Divides the threads of a build into groups, one for each NUMA node. The readers, indexers and
// writers of a group run on the CPUs of its node, so the blocks and memtables that they touch first
// lie in its memory. Both stay in their group, except that a thread whose group has none takes
// those of another group. If segments go to a medium that is on a node itself, all writers run
// there instead.
//
// With one group, as on every machine with one node, no thread is bound and no page counted.
//
// Thread-safe; outlives the threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

class NodeGroups {
 public:
  // Makes one group for each node that has CPUs. Makes a single group if there are fewer than two
  // such nodes or fewer than two indexers.
  NodeGroups(std::vector<NumaNode> nodes, int indexer_threads);

  size_t count() const { return nodes_.empty() ? 1 : nodes_.size(); }
  // The group of each of so many threads of one kind, in proportion to the CPUs of the groups.
  std::vector<size_t> Deal(int threads) const;

  // The same, but puts all threads into the group of this node, if it has one.
  std::vector<size_t> DealTo(std::optional<int> node, int threads) const;

  // Puts the calling thread into the group. Returns an error if the thread cannot run on the CPUs
  // of the node; it is in the group all the same.
  absl::Status Enter(size_t group) const;
  // The group that the calling thread has entered; 0 if it has entered none.
  static size_t Current();

  // Counts whether the pages at these addresses lie on the node of the calling thread's group or on
  // another one.
  void CountPages(std::span<const void* const> addresses);

  struct Report {
    std::vector<int> nodes;  // empty if there is one group
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
