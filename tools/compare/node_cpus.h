// Chooses the CPUs that the threads of a configuration run on: any, those of the NUMA node where
// the index lies, or those of another node. Thread-safe: no state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

// numa: "any", "local" or "remote". Reads some bytes of each page that it asks about. Returns
// kUnimplemented with the reason if there are no two nodes with CPUs, or if the node of the index
// is not known.
absl::StatusOr<std::vector<int>> CpusOf(const std::string& numa, const Snapshot& snapshot);

// The same for known nodes. node: where most pages of the index lie.
absl::StatusOr<std::vector<int>> CpusOfNode(const std::string& numa,
                                            const std::vector<NumaNode>& nodes, int node);

// The node that most of the values name; nullopt if none is 0 or above.
std::optional<int> MostCommonNode(std::span<const int> nodes);

}  // namespace pmdex
