#include "tools/compare/node_cpus.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment.h"
#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

constexpr size_t kPagesAsked = 64;  // of each segment

// Some pages of each segment, which are read so that they are mapped.
std::vector<const void*> SomePages(const Snapshot& snapshot) {
  std::vector<const void*> pages;
  for (const auto& segment : snapshot.segments()) {
    const std::span<const std::byte> bytes = segment->view().bytes();
    for (size_t i = 0; i < kPagesAsked && !bytes.empty(); ++i) {
      const std::byte* const page = bytes.data() + bytes.size() / kPagesAsked * i;
      (void)*static_cast<const volatile std::byte*>(page);
      pages.push_back(page);
    }
  }
  return pages;
}

absl::Status NotHere(std::string_view why) {
  return MakeStatus(absl::StatusCode::kUnimplemented, why);
}

}  // namespace

std::optional<int> MostCommonNode(std::span<const int> nodes) {
  std::map<int, size_t> counts;
  for (const int node : nodes) {
    if (node >= 0) ++counts[node];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return std::nullopt;
  return most->first;
}

absl::StatusOr<std::vector<int>> CpusOfNode(const std::string& numa,
                                            const std::vector<NumaNode>& nodes, int node) {
  for (const NumaNode& one : nodes) {
    if ((one.id == node) == (numa == "local") && !one.cpus.empty()) return one.cpus;
  }
  return NotHere(absl::StrCat("the index lies on node ", node, ", and there is no ",
                              numa == "local" ? "CPU on it" : "other node with CPUs"));
}

absl::StatusOr<std::vector<int>> CpusOf(const std::string& numa, const Snapshot& snapshot) {
  if (numa == "any") return AllowedCpus();
  const std::vector<NumaNode> nodes = UsableNumaNodes();
  if (nodes.size() < 2) return NotHere("this machine has no two NUMA nodes with CPUs");
  PMDEX_ASSIGN_OR_RETURN(const std::vector<int> of_pages, NodesOfPages(SomePages(snapshot)));
  const std::optional<int> node = MostCommonNode(of_pages);
  if (!node.has_value()) return NotHere("the node of the index is not known");
  return CpusOfNode(numa, nodes, *node);
}

}  // namespace pmdex
