#include "query/algorithm/pruned_search.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "pmem/thread.h"
#include "query/algorithm/constant_search.h"
#include "query/algorithm/segment_search.h"
#include "query/algorithm/term_search.h"
#include "query/cursor/verified_lists.h"

namespace pmdex {
namespace {

constexpr uint32_t kAllWindows = 0xffffffff;

bool IsNotNegative(const BoundQuery& leaf) {
  if (leaf.kind == BoundKind::kBoolean) {
    return std::all_of(leaf.clauses.begin(), leaf.clauses.end(), [](const BoundClause& clause) {
      return clause.occur == Occur::kMustNot || IsNotNegative(*clause.query);
    });
  }
  const bool scores = leaf.kind == BoundKind::kTerm || leaf.kind == BoundKind::kPhrase;
  return (scores ? leaf.scorer.weight : leaf.boost) >= 0;
}

bool IsInManyFields(const BoundQuery& query) {
  constexpr size_t kManyFields = 128;
  if (query.every_field && query.clauses.size() > kManyFields) return true;
  return std::any_of(query.clauses.begin(), query.clauses.end(), [](const BoundClause& clause) {
    return clause.occur != Occur::kMustNot && IsInManyFields(*clause.query);
  });
}

// The one term that is all of the query.
absl::Status SearchTerm(const Plan& plan, size_t index, const BlockMaxOptions& options, TopK& top,
                        PrunedDocs& result) {
  const DictionaryEntry* entry = plan.root->terms[0].entries[index];
  if (entry == nullptr) return absl::OkStatus();
  const Segment& segment = *plan.snapshot->segments()[index];
  CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus(),
                        options.deadline};
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(segment, *entry, ListParts::kScores, context));
  LeafContext leaf{segment, index, *options.kernels, context, *plan.expansions};
  if (!context.timed_out) {
    result.scored +=
        SearchPostings(list, plan.root->scorer, plan.snapshot->doc_base(index), leaf, top);
  }
  result.timed_out = result.timed_out || context.timed_out;
  return context.damage;
}

void Add(const SegmentSearch& search, PrunedDocs& result) {
  result.scored += search.scored();
  result.timed_out = result.timed_out || search.timed_out();
}

absl::Status SearchSegment(const Plan& plan, size_t index, std::span<const FlatClause> flat,
                           const BlockMaxOptions& options, TopK& top, PrunedDocs& result) {
  if (plan.root->kind == BoundKind::kTerm) return SearchTerm(plan, index, options, top, result);
  if (ScoresConstantly(*plan.root)) return SearchConstant(plan, index, options, top, result);
  PMDEX_ASSIGN_OR_RETURN(const auto search,
                         SegmentSearch::Open(plan, index, flat, options, nullptr, top));
  if (options.count_matches) search->FindMatches();
  search->Run(0, kAllWindows);
  Add(*search, result);
  if (options.count_matches && !result.timed_out && search->damage().ok()) {
    const MatchCount count = search->Count();
    result.matches = result.matches.value_or(0) + count.count;
    result.timed_out = count.timed_out;
  }
  return search->damage();
}

// About how many postings a query may have to look at; those of phrases with their positions.
uint64_t WorkOf(std::span<const FlatClause> flat, const Snapshot& snapshot) {
  constexpr uint64_t kPerPhraseCandidate = 16;
  uint64_t work = 0;
  for (const FlatClause& clause : flat) {
    for (const FlatLeaf& flat_leaf : clause.leaves) {
      const BoundQuery* leaf = flat_leaf.query;
      if (leaf->terms.empty()) {
        work += snapshot.doc_count();
        continue;
      }
      uint64_t least = leaf->terms[0].df;
      for (const BoundTerm& term : leaf->terms) least = std::min(least, term.df);
      work += leaf->kind == BoundKind::kPhrase ? least * kPerPhraseCandidate : least;
    }
  }
  return work;
}

// A part of a query's work that one thread does.
struct Range {
  size_t segment = 0;
  uint32_t first_window = 0;
};

std::vector<Range> RangesOf(const Snapshot& snapshot, uint32_t windows_per_range) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const uint32_t windows = WindowCount(snapshot.segments()[i]->doc_count());
    for (uint32_t first = 0; first < windows; first += windows_per_range)
      ranges.push_back({i, first});
  }
  return ranges;
}

// What the threads of one query share.
struct SharedSearch {
  const Plan& plan;
  std::span<const FlatClause> flat;
  const BlockMaxOptions& options;
  std::span<const Range> ranges;
  std::atomic<size_t> next = 0;  // of ranges
  SharedFloor floor{};
};

// Range after range, until there is none left.
absl::Status SearchRanges(SharedSearch& shared, TopK& top, PrunedDocs& result) {
  std::unique_ptr<SegmentSearch> search;
  size_t opened = SIZE_MAX;
  absl::Status status;
  for (size_t i; status.ok() && (i = shared.next.fetch_add(1)) < shared.ranges.size();) {
    const Range& range = shared.ranges[i];
    const Segment& segment = *shared.plan.snapshot->segments()[range.segment];
    if (opened != range.segment) {
      if (search != nullptr) Add(*search, result);
      PMDEX_ASSIGN_OR_RETURN(
          search, segment.Checked(SegmentSearch::Open(shared.plan, range.segment, shared.flat,
                                                      shared.options, &shared.floor, top)));
      opened = range.segment;
    }
    search->Run(range.first_window, range.first_window + shared.options.windows_per_range);
    status = segment.Checked(search->damage());
    if (status.ok()) status = segment.Health();
  }
  if (search != nullptr) Add(*search, result);
  return status;
}

absl::StatusOr<PrunedDocs> SearchInParallel(const Plan& plan, std::span<const FlatClause> flat,
                                            const BlockMaxOptions& options,
                                            std::span<const Range> ranges) {
  struct Worker {
    explicit Worker(size_t k) : top(k) {}
    TopK top;
    PrunedDocs result;
  };
  SharedSearch shared{plan, flat, options, ranges};
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < std::min(options.threads, ranges.size()); ++i) {
    workers.push_back(std::make_unique<Worker>(options.k));
  }
  PMDEX_RETURN_IF_ERROR(RunOnThreads(workers.size(), [&](size_t i) {
    return SearchRanges(shared, workers[i]->top, workers[i]->result);
  }));
  PrunedDocs result;
  TopK top(options.k);
  for (const auto& worker : workers) {
    result.scored += worker->result.scored;
    result.timed_out = result.timed_out || worker->result.timed_out;
    for (const ScoredDoc& doc : worker->top.TakeUnsorted()) top.Add(doc);
  }
  result.docs = top.TakeInTime(options.deadline, result.timed_out);
  return result;
}

}  // namespace

bool IsPrunable(const Plan& plan, const std::optional<std::vector<FlatClause>>& flat) {
  if (plan.root->kind == BoundKind::kNone || !flat.has_value()) return false;
  if (IsInManyFields(*plan.root)) return false;
  for (const FlatClause& clause : *flat) {
    if (clause.occur == Occur::kMustNot) continue;
    for (const FlatLeaf& leaf : clause.leaves) {
      if (!IsNotNegative(*leaf.query)) return false;
    }
  }
  return true;
}

absl::StatusOr<PrunedDocs> SearchBlockMax(const Plan& plan, std::span<const FlatClause> flat,
                                          const BlockMaxOptions& options) {
  const bool is_short = plan.root->kind == BoundKind::kTerm || ScoresConstantly(*plan.root);
  if (options.threads > 1 && !is_short &&
      WorkOf(flat, *plan.snapshot) >= options.least_parallel_work) {
    const std::vector<Range> ranges = RangesOf(*plan.snapshot, options.windows_per_range);
    if (ranges.size() > 1) return SearchInParallel(plan, flat, options, ranges);
  }
  PrunedDocs result;
  TopK top(options.k);
  const auto segments = plan.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    PMDEX_RETURN_IF_ERROR(segments[i]->Checked(SearchSegment(plan, i, flat, options, top, result)));
    PMDEX_RETURN_IF_ERROR(segments[i]->Health());
  }
  result.docs = top.TakeInTime(options.deadline, result.timed_out);
  return result;
}

}  // namespace pmdex
