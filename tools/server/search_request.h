// What a client asks of GET or POST /search. Pure; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/server/http/http_message.h"
#include "tools/server/search_field_options.h"

namespace pmdex {

struct SearchRequestLimits {
  size_t k = 1'000'000;
  size_t query_bytes = 32768;
  size_t queries = 1000;   // of one request
  size_t fields = 100;     // of each of sort, fields_out and facet
  size_t body_depth = 32;  // objects and arrays inside each other
};

// The deadline is not set.
struct SearchRequest : FieldedSearch {
  std::string query;
  std::optional<std::chrono::milliseconds> timeout;

  // True if the answer is likely to cost much, whatever the query is.
  bool IsHeavy() const;
  // How long the answer is likely to take from an index of so many documents: a guess by what is
  // asked about the hits, whatever the query is.
  std::chrono::microseconds EstimatedTime(uint64_t doc_count) const;
  // False if the answer may change with time, because a bound of a date is relative to `now`. True
  // means that the answer depends on the index and on AnswerKey alone.
  bool CanBeKept() const;
  // A text that is the same for two requests only if the same index answers them alike.
  std::string AnswerKey() const;
};

struct SearchRequests {
  std::vector<SearchRequest> requests;
  bool is_batch = false;  // {"queries": [...]}: the answer is a list even if there is one
};

// Reads the parameters of the URL and, with POST, the JSON of the body, whose keys are the same.
// kInvalidArgument names a parameter or key that is not known or has a wrong value.
absl::StatusOr<SearchRequests> ParseSearchRequests(const HttpRequest& request,
                                                   const SearchRequestLimits& limits);

}  // namespace pmdex
