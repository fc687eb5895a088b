#include "query/algorithm/parallel_search.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

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

std::vector<Range> RangesOf(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  const uint32_t windows_per_range = context.plan.windows_per_range;
  std::vector<Range> ranges;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    if (LacksRequiredWords(context.plan.clauses, i)) continue;
    const uint32_t windows = WindowCount(snapshot.segments()[i]->doc_count());
    for (uint32_t first = 0; first < windows; first += windows_per_range) {
      ranges.push_back({i, first});
    }
  }
  return ranges;
}

// What the threads of one query share.
struct SharedSearch {
  const SearchContext& context;
  const std::vector<Range> ranges;
  std::atomic<size_t> next = 0;  // of ranges
  SharedMinScore min_score{};
};

// What one thread has found.
struct Worker {
  explicit Worker(const SearchContext& context) : top(context.plan.k, context.plan.limits) {
    result.segments.resize(context.binding.snapshot->segments().size());
  }
  TopK top;
  PrunedDocs result;
};

void Add(const SegmentSearch& search, size_t segment, PrunedDocs& result) {
  result.segments[segment] = search.algorithm();
  result.scored += search.scored();
  result.timed_out = result.timed_out || search.timed_out();
}

// Takes range after range until none is left.
absl::Status SearchRanges(SharedSearch& shared, Worker& worker) {
  std::unique_ptr<SegmentSearch> search;
  size_t opened = SIZE_MAX;
  absl::Status status;
  for (size_t i; status.ok() && (i = shared.next.fetch_add(1)) < shared.ranges.size();) {
    const Range& range = shared.ranges[i];
    const Segment& segment = *shared.context.binding.snapshot->segments()[range.segment];
    if (opened != range.segment) {
      if (search != nullptr) Add(*search, opened, worker.result);
      search = std::make_unique<SegmentSearch>(shared.context, range.segment, &shared.min_score,
                                               worker.top);
      PMDEX_RETURN_IF_ERROR(segment.Checked(search->Open()));
      opened = range.segment;
    }
    search->Run(range.first_window, range.first_window + shared.context.plan.windows_per_range);
    status = segment.Checked(search->damage());
    if (status.ok()) status = segment.Health();
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
  for (const ScoredDoc& doc : worker.top.TakeUnsorted()) top.Add(doc);
}

}  // namespace

absl::StatusOr<PrunedDocs> SearchInParallel(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  SharedSearch shared{context, RangesOf(context)};
  PMDEX_ASSIGN_OR_RETURN(const float sure, FindSureScore(context));
  shared.min_score.Raise(sure);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < context.plan.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(context));
  }
  PMDEX_RETURN_IF_ERROR(
      RunOnThreads(workers.size(), [&](size_t i) { return SearchRanges(shared, *workers[i]); }));
  PrunedDocs result;
  result.segments.resize(snapshot.segments().size());
  TopK top(context.plan.k, context.plan.limits);
  for (const auto& worker : workers) Merge(*worker, top, result);
  result.docs = top.TakeInTime(context.deadline, result.timed_out);
  return result;
}

}  // namespace pmdex
