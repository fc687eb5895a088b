// What a request to the Elasticsearch API may ask for at most. Plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pmdex {

struct ElasticsearchLimits {
  size_t max_body_bytes = size_t{16} << 20;
  size_t max_body_depth = 128;        // nested objects and arrays of a JSON body
  size_t max_clauses = 4096;          // words, phrases and patterns of one query, in all its fields
  size_t max_result_window = 10'000;  // from + size of a search, size of a page of a scroll
  uint64_t max_answer_bytes = uint64_t{100} << 20;  // of documents in one answer, about
  size_t max_searches = 1024;                       // of one _msearch
  size_t max_documents = 10'000;                    // of one _mget
  size_t max_scroll_contexts = 500;
  size_t max_scroll_contexts_of_user = 50;
  std::chrono::milliseconds max_keep_alive = std::chrono::hours(24);  // of a scroll
};

}  // namespace pmdex
