// Binds threads to NUMA nodes and finds the nodes on which memory lies.
//
// Binding a thread also places its memory. Under the kernel's default policy a page comes from the
// node of the CPU that touches the page first, unless that node is full. Memory that a bound thread
// allocates and fills therefore lies on its own node. Thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pmem/directory.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

// The nodes among which the threads of this process should be divided, with only the CPUs on which
// the process may run. Empty if there are fewer than two such nodes. Also empty if the process was
// started with a memory policy (numactl --interleave or --membind), which then stays in force.
std::vector<NumaNode> UsableNumaNodes();
// The nodes with only those of their CPUs that are allowed; nodes without such CPUs are left out.
// Pure.
std::vector<NumaNode> KeepUsable(std::vector<NumaNode> nodes, std::span<const int> allowed_cpus);

// The node of the CPUs nearest to a directory's medium, or the node of the medium if no CPUs are
// known. nullopt if both are unknown, and for a directory behind a page cache, whose memory lies on
// the node of the writing thread.
std::optional<int> NodeOfMedium(const Directory& directory, std::string_view root = "/");

// The CPUs that the calling thread may run on, ascending.
absl::StatusOr<std::vector<int>> AllowedCpus();
// Lets the calling thread run on these CPUs only.
absl::Status RunOnCpus(std::span<const int> cpus);

// The node of the page at each address, or -1 if the page was never touched. Returns kUnimplemented
// on a kernel without NUMA.
absl::StatusOr<std::vector<int>> NodesOfPages(std::span<const void* const> addresses);

}  // namespace pmdex
