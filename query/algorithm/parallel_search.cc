#include "query/algorithm/parallel_search.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "pmem/numa_placement.h"
#include "pmem/thread.h"
#include "query/algorithm/scoring/sure_score.h"
#include "query/algorithm/segment_search.h"
#include "query/algorithm/shared_min_score.h"

namespace pmdex {
namespace {

// The part of a query's work that a thread takes at a time.
struct Range {
  size_t segment = 0;
  uint32_t first_window = 0;
};

// The ranges of the segments of a node, which threads take from the front.
struct RangeList {
  std::vector<Range> ranges;
  std::atomic<size_t> next = 0;
};

// One list for each node, and behind them that of segments whose node does not matter.
std::vector<RangeList> RangesOf(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  const uint32_t windows_per_range = context.plan.windows_per_range;
  const size_t nodes = context.nodes == nullptr ? 0 : context.nodes->nodes().size();
  std::vector<RangeList> lists(nodes + 1);
  context.plan.segments.ForEach([&](size_t i) {
    const Segment& segment = *snapshot.segments()[i];
    const size_t node =
        nodes == 0 ? 0 : context.nodes->IndexOf(segment.segment_id()).value_or(nodes);
    const uint32_t windows = WindowCount(segment.doc_count());
    for (uint32_t first = 0; first < windows; first += windows_per_range) {
      lists[node].ranges.push_back({i, first});
    }
  });
  return lists;
}

// What the threads of one query share.
struct SharedSearch {
  const SearchContext& context;
  std::vector<RangeList> lists;
  const size_t first_node = 0;  // of the calling thread
  SharedMinScore min_score{};
};

// What one thread has found.
struct Worker {
  explicit Worker(const SearchContext& context) : top(context.plan.k, context.plan.limits) {
    result.segments.resize(context.binding.snapshot->segments().size());
  }
  TopK top;
  PrunedDocs result;
  NodeParts node_parts;
};

void Add(const SegmentSearch& search, size_t segment, PrunedDocs& result) {
  result.segments[segment] = search.algorithm();
  result.scored += search.scored();
  result.timed_out = result.timed_out || search.timed_out();
}

// Binds all threads but the calling one, which is on the node `first`, to the nodes that have
// segments, in turn. Returns the index of the node on which the thread is.
size_t EnterNode(const SegmentNodes& nodes, size_t first, size_t thread) {
  const size_t node = NodeOfThread(nodes, first, thread);
  if (thread == 0) return node;
  // A thread that cannot be bound still searches, only perhaps farther from its memory.
  (void)RunOnCpus(nodes.nodes()[node].cpus);
  return node;
}

// The lists in the order in which a thread takes from them: those of its node, of no node, and of
// the other nodes.
std::vector<size_t> OrderOfLists(size_t own, size_t lists) {
  std::vector<size_t> order = {own};
  if (own != lists - 1) order.push_back(lists - 1);
  for (size_t i = 1; i + 1 < lists; ++i) order.push_back((own + i) % (lists - 1));
  return order;
}

void CountPart(const SharedSearch& shared, size_t list, size_t own, NodeParts& parts) {
  if (list + 1 == shared.lists.size()) return;
  ++(list == own ? parts.local : parts.remote);
}

// Takes range after range until none is left.
absl::Status SearchRanges(size_t thread, SharedSearch& shared, Worker& worker) {
  const SegmentNodes* const nodes = shared.context.nodes;
  const size_t own = nodes == nullptr ? 0 : EnterNode(*nodes, shared.first_node, thread);
  std::unique_ptr<SegmentSearch> search;
  size_t opened = SIZE_MAX;
  absl::Status status;
  for (const size_t number : OrderOfLists(own, shared.lists.size())) {
    RangeList& list = shared.lists[number];
    for (size_t i; status.ok() && (i = list.next.fetch_add(1)) < list.ranges.size();) {
      const Range& range = list.ranges[i];
      const Segment& segment = *shared.context.binding.snapshot->segments()[range.segment];
      if (opened != range.segment) {
        if (search != nullptr) Add(*search, opened, worker.result);
        search = std::make_unique<SegmentSearch>(shared.context, range.segment, &shared.min_score,
                                                 worker.top);
        PMDEX_RETURN_IF_ERROR(segment.Checked(search->Open()));
        opened = range.segment;
      }
      search->Run(range.first_window, range.first_window + shared.context.plan.windows_per_range);
      CountPart(shared, number, own, worker.node_parts);
      status = segment.Checked(search->damage());
      if (status.ok()) status = segment.Health();
    }
  }
  if (search != nullptr) Add(*search, opened, worker.result);
  return status;
}

void Merge(Worker& worker, TopK& top, PrunedDocs& result) {
  result.scored += worker.result.scored;
  result.timed_out = result.timed_out || worker.result.timed_out;
  for (size_t i = 0; i < result.segments.size(); ++i) {
    const Algorithm algorithm = worker.result.segments[i];
    if (algorithm != Algorithm::kNone) result.segments[i] = algorithm;
  }
  if (result.node_parts.has_value()) {
    result.node_parts->local += worker.node_parts.local;
    result.node_parts->remote += worker.node_parts.remote;
  }
  for (const ScoredDoc& doc : worker.top.TakeUnsorted()) top.Add(doc);
}

}  // namespace

size_t NodeOfThread(const SegmentNodes& nodes, size_t first, size_t thread) {
  const std::vector<size_t>& with = nodes.with_segments();
  if (thread == 0 || with.empty()) return first;
  const auto behind =
      static_cast<size_t>(std::upper_bound(with.begin(), with.end(), first) - with.begin());
  return with[(behind + thread - 1) % with.size()];
}

absl::StatusOr<PrunedDocs> SearchInParallel(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  const size_t first_node = context.nodes == nullptr ? 0 : context.nodes->Current();
  SharedSearch shared{context, RangesOf(context), first_node};
  PMDEX_ASSIGN_OR_RETURN(const float sure, FindSureScore(context));
  shared.min_score.Raise(sure);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < context.plan.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(context));
  }
  PMDEX_RETURN_IF_ERROR(
      RunOnThreads(workers.size(), [&](size_t i) { return SearchRanges(i, shared, *workers[i]); }));
  PrunedDocs result;
  result.segments.resize(snapshot.segments().size());
  TopK top(context.plan.k, context.plan.limits);
  if (context.nodes != nullptr) result.node_parts.emplace();
  for (const auto& worker : workers) Merge(*worker, top, result);
  result.docs = top.TakeInTime(context.deadline, result.timed_out);
  return result;
}

}  // namespace pmdex
