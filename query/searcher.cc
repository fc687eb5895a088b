#include "query/searcher.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "query/access/checked_search.h"
#include "query/access/link_entries.h"
#include "query/access/visible_snapshot.h"
#include "query/algorithm/counting.h"
#include "query/algorithm/doc_matches.h"
#include "query/algorithm/exhaustive.h"
#include "query/algorithm/pruned_search.h"
#include "query/algorithm/search_context.h"
#include "query/algorithm/sorted/sorted_search.h"
#include "query/columns/snapshot_columns.h"
#include "query/hit_details.h"
#include "query/kernel/custom_kernels.h"
#include "query/language/query_parser.h"
#include "query/planning/list_prefetch.h"
#include "query/planning/query_binder.h"
#include "query/planning/query_cost.h"
#include "query/planning/read_segments.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

// May go, after the deadline, into the ids, explanations and snippets of the hits.
constexpr std::chrono::milliseconds kFinishing{2};

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

bool IsWhole(const Snapshot& snapshot) {
  const auto segments = snapshot.segments();
  return std::all_of(segments.begin(), segments.end(),
                     [](const auto& segment) { return segment->Health().ok(); });
}

absl::StatusOr<PrunedDocs> Rank(const SearchContext& context) {
  const SearchPlan& plan = context.plan;
  if (plan.algorithm != Algorithm::kExhaustive) return SearchPruned(context);
  PMDEX_ASSIGN_OR_RETURN(
      RankedDocs all, SearchExhaustively(context.binding, plan.k, context.deadline, plan.limits));
  PrunedDocs ranked;
  ranked.docs = std::move(all.docs);
  ranked.scored = all.total;
  ranked.timed_out = all.timed_out;
  ranked.segments.assign(context.binding.snapshot->segments().size(), plan.algorithm);
  return ranked;
}

// Sets the total in the way that the plan says. `ranked` has the counts that the ranking made.
absl::Status Count(const SearchContext& context, const PrunedDocs& ranked, SearchResult& result) {
  const SearchPlan& plan = context.plan;
  result.total = std::max({ranked.scored, ranked.matches.value_or(0), plan.least_matches});
  result.timed_out = ranked.timed_out;
  const bool may_stop =
      plan.count == CountMethod::kWithRanking || plan.count == CountMethod::kSeparately;
  const bool stopped = may_stop && result.total > plan.count_limit;
  result.total_exact = !ranked.timed_out && plan.count != CountMethod::kNone && !stopped;
  const bool counts_now = plan.count == CountMethod::kFromStatistics ||
                          (plan.count == CountMethod::kSeparately && !stopped);
  if (!counts_now || result.timed_out) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const MatchCount count, CountMatches(context));
  result.total = std::max(result.total, count.count);
  result.timed_out = count.timed_out;
  result.total_exact = !count.timed_out && !(may_stop && result.total > plan.count_limit);
  return absl::OkStatus();
}

SearchPlan PlanOf(const QueryBinding& binding, const SearchOptions& options) {
  PlanOptions asked;
  asked.k = options.k;
  asked.exhaustive = options.exhaustive;
  asked.count = options.count;
  asked.count_limit = options.count_limit;
  asked.limits.min_score = options.min_score;
  if (options.after.has_value()) {
    asked.limits.after = ScoredDoc{options.after->doc, options.after->score};
  }
  asked.threads = options.threads;
  if (options.divide_by_node && !options.count && !options.count_limit.has_value()) {
    asked.threads = std::max(asked.threads, options.nodes->with_segments().size());
  }
  asked.least_parallel_postings = options.least_parallel_postings;
  return PlanSearch(binding, asked);
}

// Not of an attempt that ran out of the time of its cost, after which the query is searched again.
void CountHeat(const QueryBinding& binding, const SearchOptions& options,
               const SearchResult& result, SegmentHeat& heat) {
  if (options.most_cost.has_value() && result.timed_out) return;
  ReadSegments(binding).ForEach([&](size_t i) { heat.Count(binding.snapshot->manifest_index(i)); });
}

void AddPlaces(const Snapshot& snapshot, PlanSummary& plan) {
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    plan.tiers.push_back(ToString(snapshot.listed(i).tier));
    plan.places.emplace_back(snapshot.place(i));
  }
}

const QueryKernels& KernelsFor(const SearchOptions& options) {
  const bool is_custom = options.similarity.kind == SimilarityKind::kCustom;
  return is_custom ? CustomQueryKernels(options.kernels->level) : *options.kernels;
}

// Plans the bound query, ranks and counts. Returns the hits without their ids.
absl::StatusOr<std::vector<ScoredDoc>> FindDocs(const QueryBinding& binding,
                                                const SearchOptions& options,
                                                const Deadline& deadline, SegmentHeat& heat,
                                                SearchResult& result) {
  result.simd = options.kernels->level;
  const SearchPlan plan = PlanOf(binding, options);
  PMDEX_RETURN_IF_ERROR(RefuseCostlyPlan(plan, *binding.snapshot, options.most_cost));
  PrunedDocs ranked;
  if (binding.timed_out) {
    result.timed_out = true;
    result.total_exact = false;
  } else {
    if (plan.reads_lists) PrefetchLists(binding, plan.segments, deadline);
    const SearchContext context{binding, plan, KernelsFor(options), deadline, options.nodes};
    PMDEX_ASSIGN_OR_RETURN(ranked, Rank(context));
    PMDEX_RETURN_IF_ERROR(Count(context, ranked, result));
    CountHeat(binding, options, result, heat);
  }
  if (options.explain || options.plan) {
    result.plan = Summarize(plan, ranked.segments);
    result.plan->node_parts = ranked.node_parts;
    AddPlaces(*binding.snapshot, *result.plan);
  }
  return std::move(ranked.docs);
}

// The same for hits in the order of fields.
absl::StatusOr<std::vector<ScoredDoc>> FindSortedDocs(const QueryBinding& binding,
                                                      const SearchOptions& options,
                                                      const Deadline& deadline, SegmentHeat& heat,
                                                      SearchResult& result) {
  SortRequest request;
  request.k = options.k;
  PMDEX_ASSIGN_OR_RETURN(request.keys, BindSortKeys(options.sort, *binding.snapshot));
  PMDEX_ASSIGN_OR_RETURN(request.after, BindSortAfter(options.sort_after, request.keys));
  SearchOptions counting = options;
  counting.k = 0;
  const SearchPlan plan = PlanOf(binding, counting);
  PMDEX_RETURN_IF_ERROR(RefuseCostlyPlan(plan, *binding.snapshot, options.most_cost));
  result.simd = options.kernels->level;
  result.timed_out = binding.timed_out;
  result.total_exact = !binding.timed_out;
  if (binding.timed_out) return std::vector<ScoredDoc>();
  const SearchContext context{binding, plan, KernelsFor(options), deadline};
  PMDEX_ASSIGN_OR_RETURN(SortedDocs sorted, SearchSorted(context, request));
  result.timed_out = sorted.timed_out;
  result.total = sorted.seen;
  result.total_exact = sorted.saw_all;
  const bool counts =
      options.count || options.exhaustive || sorted.seen <= options.count_limit.value_or(0);
  if (!sorted.saw_all && counts && !sorted.timed_out) {
    PMDEX_ASSIGN_OR_RETURN(const MatchCount count, CountMatches(context));
    result.total = std::max(result.total, count.count);
    result.timed_out = count.timed_out;
    result.total_exact = !count.timed_out;
  }
  result.sort_values = std::move(sorted.values);
  CountHeat(binding, options, result, heat);
  if (options.explain || options.plan) {
    result.plan = Summarize(plan, {});
    AddPlaces(*binding.snapshot, *result.plan);
  }
  return std::move(sorted.docs);
}

absl::Status AddAggregations(const QueryBinding& binding, const SearchOptions& options,
                             const Deadline& deadline, SearchResult& result) {
  const SearchPlan plan = PlanOf(binding, options);
  const SearchContext context{binding, plan, KernelsFor(options), deadline};
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<AggregationSet> set,
                         AggregationSet::Aggregate(options.aggregations, context,
                                                   std::max<size_t>(options.threads, 1)));
  result.timed_out = result.timed_out || set->timed_out();
  if (!set->timed_out() && !options.count_limit.has_value()) {
    result.total = set->match_count();
    result.total_exact = true;
  }
  if (options.keep_aggregation_set) {
    result.aggregation_set = std::move(set);
  } else {
    PMDEX_ASSIGN_OR_RETURN(result.aggregations, set->Results());
  }
  return absl::OkStatus();
}

// The time by the clock of the search.
Clock::time_point Now(const SearchOptions& options) {
  return options.clock == nullptr ? Clock::now() : options.clock->Now();
}

absl::StatusOr<SearchResult> RunUntil(const Deadline& deadline, const Snapshot& snapshot,
                                      const Query& query, const SearchOptions& options,
                                      Clock::time_point start, AnalyzerPool& analyzers,
                                      SegmentHeat& heat) {
  PrefetchTerms(query, snapshot, deadline);
  PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                         BindQuery(query, snapshot, options.similarity, deadline));
  PMDEX_RETURN_IF_ERROR(CheckColumns(options.fields_out, snapshot));
  SearchResult result;
  const auto find = options.sort.empty() ? FindDocs : FindSortedDocs;
  PMDEX_ASSIGN_OR_RETURN(const std::vector<ScoredDoc> docs,
                         find(binding, options, deadline, heat, result));
  if (!options.aggregations.empty()) {
    PMDEX_RETURN_IF_ERROR(AddAggregations(binding, options, deadline, result));
  }
  result.missing = MissingParts(snapshot);
  const Deadline last = deadline.Later(kFinishing);
  PMDEX_RETURN_IF_ERROR(NameHits(snapshot, docs, last, result));
  if (result.sort_values.size() > result.hits.size()) {
    result.sort_values.resize(result.hits.size());
  }
  if (!options.fields_out.empty()) {
    PMDEX_RETURN_IF_ERROR(AddFieldValues(options.fields_out, snapshot, result));
  }
  result.took_us = MicrosecondsSince(start);
  if (options.explain) PMDEX_RETURN_IF_ERROR(AddExplanations(binding, last, result));
  if (options.snippets) {
    const AnalyzerPool::Borrowed analyzer = analyzers.Borrow(options.kernels->level);
    PMDEX_RETURN_IF_ERROR(AddSnippets(binding, last, *analyzer, result));
  }
  return result;
}

absl::StatusOr<SearchResult> Run(const Snapshot& snapshot, const Query& query,
                                 const SearchOptions& options, Clock::time_point start,
                                 AnalyzerPool& analyzers, SegmentHeat& heat) {
  Deadline deadline;
  if (options.deadline.has_value()) deadline = Deadline(start + *options.deadline, options.clock);
  if (options.most_cost.has_value()) PMDEX_RETURN_IF_ERROR(RefuseCostlyBinding(query, snapshot));
  if (!options.most_cost.has_value() || !HasPatterns(query)) {
    return RunUntil(deadline, snapshot, query, options, start, analyzers, heat);
  }
  const Deadline limit(start + TimeOfCost(*options.most_cost), options.clock);
  if (limit.IsPast() || deadline.IsPast()) return TooHeavy();
  absl::StatusOr<SearchResult> result =
      RunUntil(limit, snapshot, query, options, start, analyzers, heat);
  const bool is_over = result.ok() ? result->timed_out : absl::IsDeadlineExceeded(result.status());
  return is_over ? TooHeavy() : std::move(result);
}

// The options of a search for all matches.
SearchOptions AllMatches(const SearchOptions& options, const Snapshot& snapshot) {
  SearchOptions all;
  all.k = std::max<uint64_t>(snapshot.live_doc_count(), 1);
  all.similarity = options.similarity;
  all.min_score = options.min_score;
  all.threads = options.threads;
  all.kernels = options.kernels;
  return all;
}

// Run, and checks documents where that is asked for.
absl::StatusOr<SearchResult> RunAndCheck(const Snapshot& snapshot, const Query& query,
                                         const SearchOptions& options, Clock::time_point start,
                                         AnalyzerPool& analyzers, SegmentHeat& heat) {
  if (options.check == nullptr) return Run(snapshot, query, options, start, analyzers, heat);
  CheckedSearch search;
  search.answer = [&](const Snapshot& checked) {
    return Run(checked, query, options, start, analyzers, heat);
  };
  search.find_all = [&](const Snapshot& whole) {
    SearchOptions all = AllMatches(options, whole);
    if (!ShowOtherDocs(options.aggregations)) {
      return Run(whole, query, all, start, analyzers, heat);
    }
    all.min_score = SearchOptions().min_score;
    Query every;
    every.kind = QueryKind::kAll;
    return Run(whole, every, all, start, analyzers, heat);
  };
  search.counts_all = options.count || options.exhaustive || options.count_limit.has_value() ||
                      !options.aggregations.empty();
  absl::StatusOr<SearchResult> result = RunChecked(snapshot, *options.check, search);
  if (result.ok() && result->plan.has_value()) {
    for (PlanSummary::Clause& clause : result->plan->clauses) clause.estimate.reset();
  }
  return result;
}

}  // namespace

void DivideByNode(const SegmentNodes& nodes, SearchOptions& options) {
  if (!nodes.is_useful()) return;
  options.nodes = &nodes;
  options.divide_by_node = true;
}

std::vector<MissingPart> MissingParts(const Snapshot& snapshot) {
  std::vector<MissingPart> parts;
  for (const QuarantinedSegment& segment : snapshot.quarantined()) {
    parts.push_back({segment.file_name, segment.doc_count, std::string(Message(segment.reason))});
  }
  return parts;
}

Searcher::Searcher(const std::shared_ptr<const Snapshot>& snapshot)
    : Searcher(snapshot, std::make_shared<AnalyzerPool>(snapshot->settings().analyzer)) {}
Searcher::Searcher(std::shared_ptr<const Snapshot> snapshot,
                   std::shared_ptr<AnalyzerPool> analyzers)
    : snapshot_(std::move(snapshot)),
      heat_(snapshot_->manifest()),
      analyzers_(std::move(analyzers)),
      answering_(snapshot_) {}
Searcher::~Searcher() = default;

absl::StatusOr<std::unique_ptr<Searcher>> Searcher::ForUser(const UserIdentity& user) const {
  const std::shared_ptr<const Snapshot> whole = answering();
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> shown, ShowOnlyTo(user, whole));
  auto searcher = std::make_unique<Searcher>(std::move(shown), analyzers_);
  if (user.uid != 0) searcher->user_ = user;
  return searcher;
}

bool Searcher::MayShow(std::string_view id, uint64_t doc) const {
  if (!user_.has_value()) return true;
  const CurrentAccess access(*user_, InputDirectories(snapshot_->manifest()));
  return access.MayShow(id, IsLinkEntry(*snapshot_, doc));
}

SearchOptions Searcher::OptionsFor(const SearchOptions& options,
                                   std::optional<CurrentAccess>& access) const {
  SearchOptions checked = options;
  if (user_.has_value()) {
    checked.check = &access.emplace(*user_, InputDirectories(snapshot_->manifest()));
  }
  return checked;
}

std::shared_ptr<const Snapshot> Searcher::answering() const {
  MutexLock lock(&mutex_);
  if (auto reduced = answering_->WithoutDamaged()) answering_ = std::move(reduced);
  return answering_;
}

// An answer counts only if all its segments are sound afterwards. Otherwise the next attempt leaves
// out at least one segment more.
template <typename Attempt>
auto Searcher::Answer(const Attempt& attempt) const {
  while (true) {
    const std::shared_ptr<const Snapshot> snapshot = answering();
    auto result = attempt(*snapshot);
    if (IsWhole(*snapshot)) return result;
  }
}

absl::StatusOr<SearchResult> Searcher::Search(std::string_view query_text,
                                              const SearchOptions& options) const {
  const Clock::time_point start = Now(options);
  const AnalyzerPool::Borrowed analyzer = analyzers_->Borrow(options.kernels->level);
  std::optional<CurrentAccess> access;
  const SearchOptions checked = OptionsFor(options, access);
  return Answer([&](const Snapshot& snapshot) -> absl::StatusOr<SearchResult> {
    QueryParser parser(*analyzer);
    parser.SetColumns(KnowledgeOf(snapshot));
    PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Query> query, parser.Parse(query_text));
    return RunAndCheck(snapshot, *query, checked, start, *analyzers_, heat_);
  });
}

absl::StatusOr<SearchResult> Searcher::Search(const Query& query,
                                              const SearchOptions& options) const {
  const Clock::time_point start = Now(options);
  std::optional<CurrentAccess> access;
  const SearchOptions checked = OptionsFor(options, access);
  return Answer([&](const Snapshot& snapshot) {
    return RunAndCheck(snapshot, query, checked, start, *analyzers_, heat_);
  });
}

absl::StatusOr<std::vector<bool>> Searcher::Matches(const Query& query,
                                                    std::span<const uint64_t> docs,
                                                    const Deadline& deadline) const {
  return Answer(
      [&](const Snapshot& snapshot) { return MatchDocs(query, snapshot, docs, deadline); });
}

}  // namespace pmdex
