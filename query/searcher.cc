#include "query/searcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "query/algorithm/exhaustive.h"
#include "query/planner.h"
#include "query/query_parser.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

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

absl::Status NameHits(const Snapshot& snapshot, const std::vector<ScoredDoc>& docs,
                      std::vector<Hit>& hits) {
  hits.reserve(docs.size());
  for (const ScoredDoc& scored : docs) {
    const size_t i = SegmentOf(snapshot, scored.doc);
    PMDEX_ASSIGN_OR_RETURN(
        const std::string_view id,
        snapshot.segments()[i]->doc_id(static_cast<DocId>(scored.doc - snapshot.doc_base(i))));
    Hit hit;
    hit.id = id;
    hit.score = scored.score;
    hit.doc = scored.doc;
    hits.push_back(std::move(hit));
  }
  return absl::OkStatus();
}

absl::Status AddSnippets(const Plan& plan, std::vector<Hit>& hits) {
  const Snapshot& snapshot = *plan.snapshot;
  const SnippetMarker marker(plan);
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(snapshot.settings().analyzer);
  for (Hit& hit : hits) {
    const size_t i = SegmentOf(snapshot, hit.doc);
    const auto doc = static_cast<DocId>(hit.doc - snapshot.doc_base(i));
    PMDEX_ASSIGN_OR_RETURN(hit.snippet, marker.Mark(*snapshot.segments()[i], doc, *analyzer));
  }
  return absl::OkStatus();
}

absl::StatusOr<SearchResult> Run(const Snapshot& snapshot, const Query& query,
                                 const SearchOptions& options, Clock::time_point start) {
  PMDEX_ASSIGN_OR_RETURN(const Plan plan, BindQuery(query, snapshot, options.similarity));
  PMDEX_ASSIGN_OR_RETURN(const RankedDocs ranked, SearchExhaustively(plan, options.k));
  SearchResult result;
  result.total = ranked.total;
  PMDEX_RETURN_IF_ERROR(NameHits(snapshot, ranked.docs, result.hits));
  result.took_us = MicrosecondsSince(start);
  if (options.explain) {
    for (Hit& hit : result.hits) {
      PMDEX_ASSIGN_OR_RETURN(hit.explanation, Explain(plan, hit.doc));
    }
  }
  if (options.snippets) PMDEX_RETURN_IF_ERROR(AddSnippets(plan, result.hits));
  return result;
}

}  // namespace

Searcher::Searcher(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}
Searcher::~Searcher() = default;

absl::StatusOr<SearchResult> Searcher::Search(std::string_view query_text,
                                              const SearchOptions& options) const {
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(snapshot_->settings().analyzer);
  QueryParser parser(*analyzer, snapshot_->field_names());
  PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Query> query, parser.Parse(query_text));
  return Run(*snapshot_, *query, options, start);
}

absl::StatusOr<SearchResult> Searcher::Search(const Query& query,
                                              const SearchOptions& options) const {
  return Run(*snapshot_, query, options, Clock::now());
}

}  // namespace pmdex
