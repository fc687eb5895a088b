// One request as an endpoint sees it, and its answer. The call views the request and the indexes of
// the server; both outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/server/elasticsearch/answer_budget.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/dsl_scope.h"
#include "tools/server/elasticsearch/elasticsearch_limits.h"
#include "tools/server/elasticsearch/index_selection.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/parameters.h"
#include "tools/server/elasticsearch/search/scroll_store.h"
#include "tools/server/search_notes.h"

namespace pmdex {

class WritableIndexes;

// What lives from one request to the next. Thread-safe.
struct ApiState {
  ApiState(const ElasticsearchLimits& of, const SearchNotes& searches, WritableIndexes* writes)
      : limits(of),
        notes(searches),
        writing(writes),
        scrolls({of.max_scroll_contexts, of.max_scroll_contexts_of_user}) {}

  const ElasticsearchLimits limits;
  const SearchNotes notes;
  WritableIndexes* const writing;  // nullptr: nothing is written
  AnalyzerPools analyzers;
  ScrollStore scrolls;
};

struct ApiCall {
  const HttpRequest& request;
  const ApiEndpoint& endpoint;
  // The parts of the path that stand for the names in braces; empty if the endpoint has none.
  std::string_view index;
  std::string_view id;
  std::string_view fields;
  std::string_view scroll_id;
  Parameters parameters;
  Json body;  // an object with known keys; null if the request has no body, and for _msearch
  IndexSpan indexes;
  std::chrono::milliseconds timeout;  // what is left of it for the whole answer
  // If set, a search that is likely to cost more returns kOutOfRange and does nothing.
  std::optional<uint64_t> most_cost;
  ApiState& state;
  AnswerBudget& budget;  // of the documents in the answer
};

struct ApiAnswer {
  int status = 200;
  Json body;
  std::optional<std::string> text;  // the answer in place of JSON
};

using ApiAnswerOr = absl::StatusOr<ApiAnswer>;

// The indexes that the path and the parameters select.
absl::StatusOr<SelectedIndexes> SelectedBy(const ApiCall& call);

}  // namespace pmdex
