// Chooses the CPUs that the threads of a configuration run on: any, those of the NUMA node where
// the index lies, or those of another node. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/store/placement/segment_nodes.h"
#include "engine/store/snapshot.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

// numa: "any", "local" or "remote". index_path: the directory of the index. Reads some pages of
// each segment, and asks the kernel for their nodes; on DAX, where it knows none, for the node of
// the device. Returns kUnimplemented with the reason if there are no two nodes with CPUs, or if the
// node of the index is not known.
absl::StatusOr<std::vector<int>> CpusOf(const std::string& numa, const Snapshot& snapshot,
                                        const std::string& index_path);

// The same for known nodes. node: where most bytes of the index lie.
absl::StatusOr<std::vector<int>> CpusOfNode(const std::string& numa,
                                            const std::vector<NumaNode>& nodes, int node);

// The node on which the segments with most bytes lie; nullopt if no node is known.
std::optional<int> NodeOfMostBytes(const Snapshot& snapshot, const SegmentNodes& nodes);

}  // namespace pmdex
