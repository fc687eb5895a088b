// Answers /search of the server's own API. A cheap query is answered at once, on the thread of the
// event loop; what costs more becomes work for the pool. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "tools/server/http/http_service.h"
#include "tools/server/result_cache.h"
#include "tools/server/search_notes.h"
#include "tools/server/search_request.h"
#include "tools/server/served_index.h"
#include "tools/server/server_metrics.h"

namespace pmdex {

struct SearchApiOptions {
  SearchRequestLimits limits;
  std::chrono::milliseconds timeout{10'000};  // of a request, from its arrival
  // Queries that cost more (query_cost.h) are answered by the pool.
  uint64_t most_cost_of_loop = uint64_t{1} << 17;
  std::chrono::microseconds slow{100'000};  // queries from this on are logged as slow
  SearchOptions search;                     // its kernels
};

class SearchApi {
 public:
  // All outlive the API. log may be nullptr.
  SearchApi(const SearchApiOptions& options, ServerMetrics& metrics, ResultCache& cache,
            RequestLog* log)
      : options_(options), metrics_(metrics), cache_(cache), notes_(&metrics, log, options.slow) {}

  ServeOutcome Serve(HttpRequest request, const RequestContext& context,
                     const std::shared_ptr<const ServedIndex>& index) const;

 private:
  using TimePoint = ServerClock::time_point;

  ServeOutcome ServeParsed(const HttpRequest& request, TimePoint arrival,
                           const std::shared_ptr<const ServedIndex>& index, bool on_loop) const;

  // From the arrival of the request.
  std::chrono::milliseconds TimeoutOf(const SearchRequest& request) const;
  // nullopt if the query costs more than `most_cost`.
  std::optional<HttpResponse> TrySearch(const ServedIndex& index, SearchRequest request,
                                        TimePoint arrival, std::optional<uint64_t> most_cost) const;
  absl::StatusOr<SearchResult> Run(const ServedIndex& index, SearchRequest& request,
                                   TimePoint arrival) const;
  HttpResponse SearchAll(const ServedIndex& index, const SearchRequests& batch,
                         TimePoint arrival) const;
  ServeOutcome Defer(SearchRequests batch, const HttpRequest& request, TimePoint arrival,
                     const std::shared_ptr<const ServedIndex>& index) const;
  void Note(const ServedIndex& index, const SearchRequest& request, SearchResult& result) const;

  const SearchApiOptions options_;
  ServerMetrics& metrics_;
  ResultCache& cache_;
  const SearchNotes notes_;
};

}  // namespace pmdex
