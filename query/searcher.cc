#include "query/searcher.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "query/algorithm/counting.h"
#include "query/algorithm/exhaustive.h"
#include "query/algorithm/pruned_search.h"
#include "query/language/query_parser.h"
#include "query/planning/flat_query.h"
#include "query/planning/list_prefetch.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

// For what was found when the deadline comes: names, explanations, snippets.
constexpr std::chrono::milliseconds kFinishing{2};

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The segment that holds a document, by its number in index order.
size_t SegmentOf(const Snapshot& snapshot, uint64_t doc) {
  size_t low = 0;
  size_t high = snapshot.segments().size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (snapshot.doc_base(middle) <= doc ? low : high) = middle;
  }
  return low;
}

// Where a document of the index is.
struct Place {
  const Segment* segment = nullptr;
  DocId doc = 0;
};

Place PlaceOf(const Snapshot& snapshot, uint64_t doc) {
  const size_t number = SegmentOf(snapshot, doc);
  return {snapshot.segments()[number].get(), static_cast<DocId>(doc - snapshot.doc_base(number))};
}

// Ids lie all over their segments: what is read for them is fetched for many hits at once.
// Once the deadline has come, the hits end with those that have names.
absl::Status NameHits(const Snapshot& snapshot, const std::vector<ScoredDoc>& docs,
                      const Deadline& deadline, SearchResult& result) {
  constexpr size_t kBatch = 32;
  std::array<Place, kBatch> places;
  size_t size_bytes = 0;
  result.hits.resize(docs.size());
  for (size_t first = 0; first < docs.size(); first += kBatch) {
    const size_t count = std::min(kBatch, docs.size() - first);
    if (first != 0 && IsPast(deadline)) {
      result.timed_out = true;
      result.hits.resize(first);
      break;
    }
    for (size_t i = 0; i < count; ++i) {
      places[i] = PlaceOf(snapshot, docs[first + i].doc);
      places[i].segment->PrefetchDocEntry(places[i].doc);
    }
    for (size_t i = 0; i < count; ++i) places[i].segment->PrefetchDocId(places[i].doc);
    for (size_t i = 0; i < count; ++i) {
      const Segment& segment = *places[i].segment;
      Hit& hit = result.hits[first + i];
      PMDEX_ASSIGN_OR_RETURN(hit.id, segment.Checked(segment.doc_id(places[i].doc)));
      size_bytes += hit.id.size();
      hit.score = docs[first + i].score;
      hit.doc = docs[first + i].doc;
    }
  }
  auto bytes = std::make_shared<std::string>();
  bytes->reserve(size_bytes);  // so that it stays where it is
  for (Hit& hit : result.hits) {
    const char* const copy = bytes->data() + bytes->size();
    bytes->append(hit.id);
    hit.id = {copy, hit.id.size()};
  }
  result.id_bytes = std::move(bytes);
  return absl::OkStatus();
}

// Whether what was made for a hit ends the list, because it came too late; takes it out then.
template <typename T>
bool IsTooLate(const absl::Status& status, std::vector<T>& made, SearchResult& result) {
  if (status.code() != absl::StatusCode::kDeadlineExceeded) return false;
  made.pop_back();
  return result.timed_out = true;
}

absl::Status AddSnippets(const Plan& plan, const Deadline& deadline, SearchResult& result) {
  const Snapshot& snapshot = *plan.snapshot;
  const SnippetMarker marker(plan);
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(snapshot.settings().analyzer);
  for (const Hit& hit : result.hits) {
    const size_t i = SegmentOf(snapshot, hit.doc);
    const auto doc = static_cast<DocId>(hit.doc - snapshot.doc_base(i));
    const Segment& segment = *snapshot.segments()[i];
    std::string& snippet = result.snippets.emplace_back();
    absl::StatusOr<std::string> made =
        segment.Checked(marker.Mark(segment, doc, *analyzer, deadline));
    if (IsTooLate(made.status(), result.snippets, result)) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(snippet, std::move(made));
  }
  return absl::OkStatus();
}

absl::Status AddExplanations(const Plan& plan, const Deadline& deadline, SearchResult& result) {
  for (const Hit& hit : result.hits) {
    const Segment& segment = *plan.snapshot->segments()[SegmentOf(*plan.snapshot, hit.doc)];
    Explanation& explanation = result.explanations.emplace_back();
    absl::StatusOr<Explanation> made = segment.Checked(Explain(plan, hit.doc, deadline));
    if (IsTooLate(made.status(), result.explanations, result)) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(explanation, std::move(made));
  }
  return absl::OkStatus();
}

bool IsWhole(const Snapshot& snapshot) {
  const auto segments = snapshot.segments();
  return std::all_of(segments.begin(), segments.end(),
                     [](const auto& segment) { return segment->Health().ok(); });
}

// Whether the dictionary says how many documents match.
bool IsKnownWithoutLists(const Plan& plan) {
  return plan.root->kind == BoundKind::kTerm || plan.root->kind == BoundKind::kAll;
}

// What matches is counted only when it is asked for or costs nothing, and apart from what ranks
// highest unless the ranking did so; the matches of a phrase have all been scored by then.
absl::Status Count(const Plan& plan, const SearchOptions& options, const Deadline& deadline,
                   std::optional<uint64_t> counted, SearchResult& result) {
  const BoundKind kind = plan.root->kind;
  const bool all_scored = options.count && options.k != 0 && kind == BoundKind::kPhrase;
  if (counted.has_value() || all_scored) {
    result.total = std::max(result.total, counted.value_or(0));
    result.total_exact = !result.timed_out;
    return absl::OkStatus();
  }
  if (result.timed_out || (!options.count && options.k != 0 && !IsKnownWithoutLists(plan))) {
    result.total_exact = false;
    return absl::OkStatus();
  }
  PMDEX_ASSIGN_OR_RETURN(const MatchCount count, CountMatches(plan, *options.kernels, deadline));
  result.timed_out = count.timed_out;
  result.total_exact = !count.timed_out;
  result.total = std::max(result.total, count.count);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ScoredDoc>> RankExhaustively(const Plan& plan,
                                                        const SearchOptions& options,
                                                        const Deadline& deadline,
                                                        SearchResult& result) {
  PMDEX_ASSIGN_OR_RETURN(RankedDocs ranked, SearchExhaustively(plan, options.k, deadline));
  result.total = ranked.total;
  result.timed_out = ranked.timed_out;
  result.total_exact = !ranked.timed_out;
  return std::move(ranked.docs);
}

absl::StatusOr<std::vector<ScoredDoc>> RankDocs(const Plan& plan, const SearchOptions& options,
                                                const Deadline& deadline, SearchResult& result) {
  result.simd = options.kernels->level;
  if (plan.timed_out) {
    result.timed_out = true;
    result.total_exact = false;
    return std::vector<ScoredDoc>();
  }
  const auto flat = Flatten(*plan.root);
  if (options.k != 0 || !IsKnownWithoutLists(plan)) PrefetchLists(plan, deadline);
  if (options.exhaustive || (options.k != 0 && !IsPrunable(plan, flat))) {
    return RankExhaustively(plan, options, deadline, result);
  }
  PrunedDocs pruned;
  if (options.k != 0) {
    BlockMaxOptions block_max;
    block_max.k = options.k;
    block_max.kernels = options.kernels;
    block_max.deadline = deadline;
    block_max.score_all = options.count && plan.root->kind == BoundKind::kPhrase;
    block_max.count_matches = options.count && !block_max.score_all;
    block_max.threads = options.threads;
    block_max.least_parallel_work = options.least_parallel_work;
    PMDEX_ASSIGN_OR_RETURN(pruned, SearchBlockMax(plan, *flat, block_max));
  }
  result.total = pruned.scored;
  result.timed_out = pruned.timed_out;
  PMDEX_RETURN_IF_ERROR(Count(plan, options, deadline, pruned.matches, result));
  return std::move(pruned.docs);
}

// When a search began, by its clock.
Clock::time_point Now(const SearchOptions& options) {
  return options.clock == nullptr ? Clock::now() : options.clock->Now();
}

absl::StatusOr<SearchResult> Run(const Snapshot& snapshot, const Query& query,
                                 const SearchOptions& options, Clock::time_point start) {
  Deadline deadline;
  if (options.deadline.has_value()) deadline = Deadline(start + *options.deadline, options.clock);
  PrefetchTerms(query, snapshot, deadline);
  PMDEX_ASSIGN_OR_RETURN(const Plan plan, BindQuery(query, snapshot, options.similarity, deadline));
  SearchResult result;
  PMDEX_ASSIGN_OR_RETURN(const std::vector<ScoredDoc> docs,
                         RankDocs(plan, options, deadline, result));
  const Deadline last = deadline.Later(kFinishing);
  PMDEX_RETURN_IF_ERROR(NameHits(snapshot, docs, last, result));
  result.took_us = MicrosecondsSince(start);
  if (options.explain) PMDEX_RETURN_IF_ERROR(AddExplanations(plan, last, result));
  if (options.snippets) PMDEX_RETURN_IF_ERROR(AddSnippets(plan, last, result));
  return result;
}

}  // namespace

std::vector<MissingPart> MissingParts(const Snapshot& snapshot) {
  std::vector<MissingPart> parts;
  for (const QuarantinedSegment& segment : snapshot.quarantined()) {
    parts.push_back({segment.file_name, segment.doc_count, std::string(Message(segment.reason))});
  }
  return parts;
}

Searcher::Searcher(std::shared_ptr<const Snapshot> snapshot)
    : snapshot_(std::move(snapshot)),
      analyzers_(snapshot_->settings().analyzer),
      answering_(snapshot_) {}
Searcher::~Searcher() = default;

std::shared_ptr<const Snapshot> Searcher::answering() const {
  MutexLock lock(&mutex_);
  if (auto reduced = answering_->WithoutDamaged()) answering_ = std::move(reduced);
  return answering_;
}

// What a segment contributed counts only if it is sound afterwards. Each turn that is not the last
// leaves out one segment more.
absl::StatusOr<SearchResult> Searcher::Answer(const Attempt& attempt) const {
  while (true) {
    const std::shared_ptr<const Snapshot> snapshot = answering();
    absl::StatusOr<SearchResult> result = attempt(*snapshot);
    if (!IsWhole(*snapshot)) continue;
    if (result.ok()) result->missing = MissingParts(*snapshot);
    return result;
  }
}

absl::StatusOr<SearchResult> Searcher::Search(std::string_view query_text,
                                              const SearchOptions& options) const {
  const Clock::time_point start = Now(options);
  const AnalyzerPool::Borrowed analyzer = analyzers_.Borrow();
  return Answer([&](const Snapshot& snapshot) -> absl::StatusOr<SearchResult> {
    QueryParser parser(*analyzer);
    PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Query> query, parser.Parse(query_text));
    return Run(snapshot, *query, options, start);
  });
}

absl::StatusOr<SearchResult> Searcher::Search(const Query& query,
                                              const SearchOptions& options) const {
  const Clock::time_point start = Now(options);
  return Answer([&](const Snapshot& snapshot) { return Run(snapshot, query, options, start); });
}

}  // namespace pmdex
