// Answers requests of the Elasticsearch API on the threads of the server. A cheap request is
// answered at once, on the thread of the event loop; what costs more, or may wait for a lock,
// becomes work for the pool. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "tools/server/elasticsearch/elasticsearch_api.h"
#include "tools/server/http/http_service.h"
#include "tools/server/index_catalog.h"
#include "tools/server/server_metrics.h"
#include "tools/server/writing/byte_budget.h"

namespace pmdex {

struct ElasticsearchServiceOptions {
  ElasticsearchLimits limits;
  std::chrono::milliseconds timeout{10'000};  // of a request, from its arrival
  uint64_t most_cost_of_loop = 0;             // as SearchApiOptions
};

class ElasticsearchService {
 public:
  // Of the bodies of all requests that write and are not answered. Further ones are refused (429).
  static constexpr uint64_t kMostWriteBytes = uint64_t{256} << 20;

  // The metrics and the indexes that are written outlive the service. writing: nullptr if nothing
  // is written.
  ElasticsearchService(const ElasticsearchServiceOptions& options, ServerMetrics& metrics,
                       const SearchNotes& notes, WritableIndexes* writing = nullptr)
      : options_(options),
        metrics_(metrics),
        is_writing_(writing != nullptr),
        api_(options.limits, notes, writing) {}

  bool Handles(const HttpRequest& request) const { return api_.Handles(request); }
  bool Writes(const HttpRequest& request) const { return api_.Writes(request); }
  bool IsForUser(const HttpRequest& request) const { return api_.IsForUser(request); }
  HttpResponse RefuseUser(const HttpRequest& request) const { return api_.RefuseUser(request); }
  // Requires a request that it handles. indexes: those of the server at this moment.
  ServeOutcome Serve(HttpRequest request, const RequestContext& context,
                     std::shared_ptr<const ServedIndexes> indexes) const;

 private:
  std::chrono::milliseconds TimeLeft(ServerClock::time_point arrival) const;
  ServeOutcome ServeWrite(HttpRequest request, const RequestContext& context,
                          std::shared_ptr<const ServedIndexes> indexes) const;

  const ElasticsearchServiceOptions options_;
  ServerMetrics& metrics_;
  const bool is_writing_;
  const ElasticsearchApi api_;
  mutable ByteBudget write_bytes_{kMostWriteBytes};
};

}  // namespace pmdex
