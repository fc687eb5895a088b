#include "tools/compare/node_cpus.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment.h"
#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

constexpr size_t kPagesRead = 64;  // of each segment

// Reads some pages of each segment, so that they are mapped and the kernel knows their nodes.
void ReadSomePages(const Snapshot& snapshot) {
  for (const auto& segment : snapshot.segments()) {
    const std::span<const std::byte> bytes = segment->view().bytes();
    for (size_t i = 0; i < kPagesRead && !bytes.empty(); ++i) {
      (void)*static_cast<const volatile std::byte*>(bytes.data() + bytes.size() / kPagesRead * i);
    }
  }
}

absl::Status NotHere(std::string_view why) {
  return MakeStatus(absl::StatusCode::kUnimplemented, why);
}

}  // namespace

std::optional<int> NodeOfMostBytes(const Snapshot& snapshot, const SegmentNodes& nodes) {
  std::map<size_t, uint64_t> bytes_on;  // keyed by index in nodes.nodes()
  for (const auto& segment : snapshot.segments()) {
    const std::optional<size_t> index = nodes.IndexOf(segment->segment_id());
    if (index.has_value()) bytes_on[*index] += segment->file_bytes();
  }
  const auto most =
      std::max_element(bytes_on.begin(), bytes_on.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == bytes_on.end()) return std::nullopt;
  return nodes.nodes()[most->first].id;
}

absl::StatusOr<std::vector<int>> CpusOfNode(const std::string& numa,
                                            const std::vector<NumaNode>& nodes, int node) {
  for (const NumaNode& one : nodes) {
    if ((one.id == node) == (numa == "local") && !one.cpus.empty()) return one.cpus;
  }
  return NotHere(absl::StrCat("the index lies on node ", node, ", and there is no ",
                              numa == "local" ? "CPU on it" : "other node with CPUs"));
}

absl::StatusOr<std::vector<int>> CpusOf(const std::string& numa, const Snapshot& snapshot,
                                        const std::string& index_path) {
  if (numa == "any") return AllowedCpus();
  const std::vector<NumaNode> nodes = UsableNumaNodes();
  if (nodes.size() < 2) return NotHere("this machine has no two NUMA nodes with CPUs");
  ReadSomePages(snapshot);
  // An index may lie on a node without CPUs.
  const std::optional<int> node =
      NodeOfMostBytes(snapshot, SegmentNodes::Of(snapshot, index_path, ReadNumaNodes()));
  if (!node.has_value()) return NotHere("the node of the index is not known");
  return CpusOfNode(numa, nodes, *node);
}

}  // namespace pmdex
