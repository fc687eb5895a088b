// Puts threads, and with them the memory they touch first, onto a NUMA node, and asks where memory
// is. On a machine of one node there is nothing to place, and UsableNumaNodes says so.
//
// Memory follows the thread: under the kernel's default policy a page comes from the node of the
// CPU that touches it first, and from another one only when that is full. So a bound thread needs
// no policy of its own, and buffers that it makes and fills lie beside it. Thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pmem/directory.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

// The nodes that threads of this process may be spread over, with those of their CPUs that it may
// run on. Empty where there are fewer than two, and where the process was started with a memory
// policy (numactl --interleave, --membind): then somebody else has decided.
std::vector<NumaNode> UsableNumaNodes();
// The part of it that looks at nothing: by what the process may run on.
std::vector<NumaNode> KeepUsable(std::vector<NumaNode> nodes, std::span<const int> allowed_cpus);

// The node of the CPUs nearest to a directory's medium, or else of the medium itself. None behind a
// page cache, which is wherever the writing thread is, and where it is unknown.
std::optional<int> NodeOfMedium(const Directory& directory, std::string_view root = "/");

// The CPUs that the calling thread may run on, ascending.
absl::StatusOr<std::vector<int>> AllowedCpus();
// From now on it runs on these alone.
absl::Status RunOnCpus(std::span<const int> cpus);

// The node of the page at each address; -1 where there is no page yet. kUnimplemented on a kernel
// without NUMA.
absl::StatusOr<std::vector<int>> NodesOfPages(std::span<const void* const> addresses);

}  // namespace pmdex
