#include "engine/store/placement/segment_nodes.h"

#include <sched.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

// The node on which most of a few pages lie, evenly spread. Pages that this process has not touched
// do not count.
std::optional<int> NodeOfMostPages(std::span<const std::byte> mapped) {
  constexpr size_t kPages = 16;
  std::vector<const void*> pages;
  for (size_t i = 0; i < kPages; ++i) pages.push_back(mapped.data() + mapped.size() / kPages * i);
  const auto nodes = NodesOfPages(pages);
  if (!nodes.ok()) return std::nullopt;
  std::map<int, size_t> counts;
  for (const int node : *nodes) counts[node] += node >= 0 ? 1 : 0;
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end() || most->second == 0) return std::nullopt;
  return most->first;
}

std::optional<int> NodeOfDevice(const std::string& path, std::string_view root) {
  const auto place = FindNumaPlace(path, root);
  return place.ok() ? place->NearestNode() : std::nullopt;
}

}  // namespace

SegmentNodes::SegmentNodes(std::vector<NumaNode> nodes, const std::map<uint64_t, int>& node_of)
    : nodes_(std::move(nodes)) {
  for (const auto& [segment_id, node] : node_of) {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                    [node = node](const NumaNode& one) { return one.id == node; });
    if (found != nodes_.end()) {
      index_of_[segment_id] = static_cast<size_t>(found - nodes_.begin());
    }
  }
  std::set<size_t> indexes;
  for (const auto& [segment_id, index] : index_of_) indexes.insert(index);
  with_segments_.assign(indexes.begin(), indexes.end());
}

SegmentNodes SegmentNodes::Of(const Snapshot& snapshot, const std::string& index_path,
                              std::vector<NumaNode> nodes, std::string_view root) {
  std::map<uint64_t, int> node_of;
  for (size_t i = 0; nodes.size() > 1 && i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    std::optional<int> node = NodeOfMostPages(segment.view().bytes());
    if (!node.has_value()) {
      const std::string_view place = snapshot.place(i);
      node = NodeOfDevice(place.empty() ? index_path : std::string(place), root);
    }
    if (node.has_value()) node_of[segment.segment_id()] = *node;
  }
  return {std::move(nodes), node_of};
}

std::optional<size_t> SegmentNodes::IndexOf(uint64_t segment_id) const {
  const auto found = index_of_.find(segment_id);
  return found == index_of_.end() ? std::nullopt : std::optional(found->second);
}

size_t SegmentNodes::Current() const {
  const int cpu = sched_getcpu();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (std::find(nodes_[i].cpus.begin(), nodes_[i].cpus.end(), cpu) != nodes_[i].cpus.end()) {
      return i;
    }
  }
  return 0;
}

}  // namespace pmdex
