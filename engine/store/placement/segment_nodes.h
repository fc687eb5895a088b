// On which NUMA nodes the segments of a snapshot lie, so that the threads which share a query can
// each search the segments of their own node: with one mount of persistent memory a socket
// (`pmdex index --place`), no posting is then read from the other socket while both have work.
//
// Immutable, so that any number of threads may use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/numa_topology.h"

namespace pmdex {

class SegmentNodes {
 public:
  // node_of: the node of each segment, by segment id. Segments of other nodes, and segments that
  // are not in it, are on none of `nodes`.
  SegmentNodes(std::vector<NumaNode> nodes, const std::map<uint64_t, int>& node_of);

  // Asks the kernel where the mapped pages of each segment are. For a segment none of whose pages
  // the kernel knows, as on DAX, it asks which node the device is nearest to. index_path: the
  // directory of the index. nodes: UsableNumaNodes(); with fewer than two nothing is asked. Opens
  // no file and reads no page.
  static SegmentNodes Of(const Snapshot& snapshot, const std::string& index_path,
                         std::vector<NumaNode> nodes, std::string_view root = "/");

  // False where there is nothing to choose between.
  bool is_useful() const { return nodes_.size() > 1 && !index_of_.empty(); }
  const std::vector<NumaNode>& nodes() const { return nodes_; }
  // The indexes in nodes() of those that have segments, ascending.
  const std::vector<size_t>& with_segments() const { return with_segments_; }
  // The index in nodes() of the node on which a segment lies; nullopt: on none of them, or unknown.
  std::optional<size_t> IndexOf(uint64_t segment_id) const;
  // The index in nodes() of the node on which the calling thread runs; 0 if it runs on none.
  size_t Current() const;

 private:
  std::vector<NumaNode> nodes_;
  std::map<uint64_t, size_t> index_of_;
  std::vector<size_t> with_segments_;
};

}  // namespace pmdex
