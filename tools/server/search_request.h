// What a client asks of GET or POST /search. Pure; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

struct SearchRequestLimits {
  size_t k = 1'000'000;
  size_t query_bytes = 32768;
  size_t queries = 1000;  // of one request
};

struct SearchRequest {
  std::string query;
  SearchOptions options;  // the deadline is not set
  std::optional<std::chrono::milliseconds> timeout;

  // True if the answer is likely to cost much, whatever the query is.
  bool IsHeavy() const;
  // How long the answer is likely to take from an index of so many documents: a guess by what is
  // asked about the hits, whatever the query is.
  std::chrono::microseconds EstimatedTime(uint64_t doc_count) const;
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
