// A search as the body and the parameters of a request describe it, before it meets an index. Plain
// values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/elasticsearch_limits.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/parameters.h"
#include "tools/server/elasticsearch/search/highlight_request.h"
#include "tools/server/elasticsearch/search/search_sort.h"
#include "tools/server/elasticsearch/search/source_filter.h"

namespace pmdex {

// Moving JSON allocates nothing, which clang-tidy does not see.
struct SearchBody {   // NOLINT(bugprone-exception-escape)
  Json query;         // null: every document
  Json post_filter;   // null: none
  Json aggregations;  // null: none
  size_t from = 0;
  size_t size = 10;
  SearchSort sort;
  SearchAfter after;
  bool show_total = true;
  // Totals up to so many are exact.
  uint64_t total_limit = 10'000;
  bool limits_total = false;  // the request names total_limit
  bool total_as_int = false;
  bool track_scores = false;
  std::optional<float> min_score;
  SourceFilter source;
  std::vector<HighlightField> highlight;
  bool explain = false;
  bool profile = false;
  bool version = false;
  bool sequence_numbers = false;
  bool uses_request_cache = false;
  bool shared_statistics = false;  // search_type=dfs_query_then_fetch
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> scroll;  // how long the scroll is kept
  // Set by the thread that searches, not by the request: postings that it may read.
  std::optional<uint64_t> most_cost;

  // True if the answer is likely to cost much, whatever the query is.
  bool IsHeavy() const;
};

// Refuses a total as a number beside a limit of counting, and counts all for the number.
absl::Status CheckTotal(SearchBody& request);
// Reads a search. body: an object, or null. The query itself is read per index (QueryReader).
absl::StatusOr<SearchBody> ReadSearchBody(const Json& body, const Parameters& parameters,
                                          const ElasticsearchLimits& limits);

// The query of the parameters q, df, default_operator, analyzer and lenient; null without q.
absl::StatusOr<Json> ReadUrlQuery(const Parameters& parameters);

}  // namespace pmdex
