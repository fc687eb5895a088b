#include "engine/ingest/pipeline/node_groups.h"

#include <utility>

#include "pmem/check.h"
#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

thread_local size_t current_group = 0;

std::vector<NumaNode> WorthGrouping(std::vector<NumaNode> nodes, int indexer_threads) {
  std::erase_if(nodes, [](const NumaNode& node) { return node.cpus.empty(); });
  if (nodes.size() < 2 || indexer_threads < 2) nodes.clear();
  return nodes;
}

}  // namespace

NodeGroups::NodeGroups(std::vector<NumaNode> nodes, int indexer_threads)
    : nodes_(WorthGrouping(std::move(nodes), indexer_threads)) {}

std::vector<size_t> NodeGroups::Deal(int threads) const {
  std::vector<size_t> groups;
  std::vector<size_t> dealt(count(), 0);
  for (int i = 0; i < threads; ++i) {
    size_t best = 0;
    for (size_t group = 1; group < count(); ++group) {
      // (dealt + 1) / cpus, the load that the thread would make, without the division.
      if ((dealt[group] + 1) * nodes_[best].cpus.size() <
          (dealt[best] + 1) * nodes_[group].cpus.size()) {
        best = group;
      }
    }
    ++dealt[best];
    groups.push_back(best);
  }
  return groups;
}

std::vector<size_t> NodeGroups::DealTo(std::optional<int> node, int threads) const {
  for (size_t group = 0; group < nodes_.size(); ++group) {
    if (nodes_[group].id == node) return std::vector<size_t>(static_cast<size_t>(threads), group);
  }
  return Deal(threads);
}

absl::Status NodeGroups::Enter(size_t group) const {
  PMDEX_CHECK(group < count());
  current_group = group;
  return nodes_.empty() ? absl::OkStatus() : RunOnCpus(nodes_[group].cpus);
}

size_t NodeGroups::Current() {
  return current_group;
}

void NodeGroups::CountPages(std::span<const void* const> addresses) {
  if (nodes_.empty()) return;
  const auto nodes = NodesOfPages(addresses);
  if (!nodes.ok()) return;  // it is a self-check: what cannot be seen is not counted
  for (const int node : *nodes) {
    if (node >= 0) ++(node == nodes_[Current()].id ? local_pages_ : remote_pages_);
  }
}

NodeGroups::Report NodeGroups::report() const {
  Report report;
  for (const NumaNode& node : nodes_) report.nodes.push_back(node.id);
  report.local_pages = local_pages_;
  report.remote_pages = remote_pages_;
  return report;
}

}  // namespace pmdex
