// Answers requests in the form of Elasticsearch's REST API: a declared subset of it (api_table.h),
// for programs that were written for Elasticsearch or OpenSearch. It opens no connection: the
// server hands it requests with the indexes of that moment.
//
//   HttpRequest -> endpoint of the table -> parameters and body checked -> answer -> HttpResponse
//
// What the table does not have is refused in Elasticsearch's form: unknown keys and parameters are
// named by a 400, unknown endpoints are a 404 and unknown methods a 405.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tools/server/elasticsearch/elasticsearch_limits.h"
#include "tools/server/http/http_message.h"
#include "tools/server/search_notes.h"
#include "tools/server/served_index.h"

namespace pmdex {

struct ApiState;
class WritableIndexes;

class ElasticsearchApi {
 public:
  // writing: outlives the API; nullptr: requests that write are refused (403).
  explicit ElasticsearchApi(const ElasticsearchLimits& limits, const SearchNotes& notes = {},
                            WritableIndexes* writing = nullptr);
  ~ElasticsearchApi();

  // True if the path has the form of this API: `/`, `/_...`, `/NAME` or `/NAME/_...`. The server
  // asks after its own paths.
  bool Handles(const HttpRequest& request) const;
  // timeout: for the whole answer. The answer of a search says so if it is not whole.
  HttpResponse Handle(const HttpRequest& request,
                      std::span<const std::shared_ptr<const ServedIndex>> indexes,
                      std::chrono::milliseconds timeout) const;
  // True if the request writes, so that most of its time is waiting for the medium and for others.
  bool Writes(const HttpRequest& request) const;
  // True if a user may ask it who sees only a part of the documents: everything that does not
  // write. The answers tell nothing of the other documents but the names of fields.
  bool IsForUser(const HttpRequest& request) const;
  // The answer to another request of such a user: 403.
  HttpResponse RefuseUser(const HttpRequest& request) const;
  // The answer to a request that writes and finds too many others waiting: 429.
  HttpResponse RefuseWrite(const HttpRequest& request) const;
  // The same as Handle, for a thread that may not wait: nullopt if the answer is likely to cost
  // more than reading most_cost postings (query_cost.h). Nothing has happened then.
  std::optional<HttpResponse> HandleCheap(
      const HttpRequest& request, std::span<const std::shared_ptr<const ServedIndex>> indexes,
      std::chrono::milliseconds timeout, uint64_t most_cost) const;

 private:
  std::optional<HttpResponse> TryHandle(const HttpRequest& request,
                                        std::span<const std::shared_ptr<const ServedIndex>> indexes,
                                        std::chrono::milliseconds timeout,
                                        std::optional<uint64_t> most_cost) const;

  const std::unique_ptr<ApiState> state_;
};

}  // namespace pmdex
