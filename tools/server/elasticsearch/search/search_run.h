// Carries out a search over several indexes and makes its answer, page after page.
//
//   SearchBody, indexes -> IndexQuery for each -> SearchResult for each -> hits ranked together ->
//   JSON
//
// Each index scores with its own statistics. The indexes are kept as they are until the run ends,
// so that later pages see the same documents. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/answer_budget.h"
#include "tools/server/elasticsearch/index_selection.h"
#include "tools/server/elasticsearch/search/index_query.h"
#include "tools/server/search_notes.h"

namespace pmdex {

class SearchRun {  // NOLINT(bugprone-exception-escape): as SearchBody
 public:
  // Errors as ReadIndexQuery, also if no index is selected. A ShardError only if every index
  // refuses the query.
  static absl::StatusOr<SearchRun> Open(SearchBody body, const SelectedIndexes& indexes,
                                        AnalyzerPools& analyzers, const ElasticsearchLimits& limits,
                                        const SearchNotes& notes = {});

  // The answer with the next `size` hits; without more hits its list is empty. Where the time ends
  // first, the answer says so. Where some of the indexes refuse the query, the answer names them
  // and has the hits of the others; where all do, it is a ShardError. kOutOfRange if the
  // body has most_cost and the page would cost more, or if the documents of the page are too large
  // for the budget.
  absl::StatusOr<Json> NextPage(AnalyzerPools& analyzers, std::chrono::milliseconds timeout,
                                AnswerBudget& budget);

  // How many documents match: exact, or at least so many.
  struct Total {
    uint64_t value = 0;
    bool exact = true;
  };

 private:
  using Clock = std::chrono::steady_clock;
  // A hit of results[index].
  struct RankedHit {
    size_t index = 0;
    size_t hit = 0;
  };
  struct Page {
    std::vector<SearchResult> results;  // indexed like queries_; empty where statuses has an error
    std::vector<absl::Status> statuses;
    std::vector<RankedHit> hits;
    std::optional<float> max_score;
    bool timed_out = false;
  };

  // The type of a field that the mapping of the index declares; nullopt without one.
  std::optional<FieldType> TypeInMapping(size_t index, std::string_view field) const;
  absl::StatusOr<SearchResult> SearchIndex(size_t index, Clock::time_point end) const;
  absl::Status AddIndex(const std::shared_ptr<const ServedIndex>& index, AnalyzerPools& analyzers,
                        const ElasticsearchLimits& limits);
  absl::StatusOr<Page> Search(Clock::time_point end) const;
  std::vector<absl::Status> FailuresOf(const Page& page) const;
  absl::Status FindMaxScore(Clock::time_point end, Page& page) const;
  void Rank(Page& page) const;
  // Takes the hits off the page that were not written in time.
  absl::StatusOr<Json> WriteHits(Clock::time_point end, AnalyzerPools& analyzers,
                                 AnswerBudget& budget, Page& page) const;
  void CountTotal(const Page& page);
  void Advance(const Page& page);
  absl::StatusOr<Json> Aggregate(Clock::time_point end, Page& page) const;
  Json WriteTotal() const;

  SearchBody body_;
  SearchNotes notes_;
  std::vector<IndexQuery> queries_;
  std::vector<absl::Status> refused_;  // ShardErrors of indexes that are not in queries_
  std::vector<SearchAfter> after_;     // indexed like queries_
  // Known once the first page is made.
  std::optional<Total> total_;
  std::optional<float> max_score_;
};

}  // namespace pmdex
