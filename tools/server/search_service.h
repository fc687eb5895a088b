// The router of the server: checks the token, or finds the user that a request is made for, finds
// what a path stands for, and asks it for the answer. A user's requests are answered from views of
// the indexes (users/user_views.h). Everything that the server's own API does not have goes to
// Elasticsearch's (ServeOther).
//
//   event loop -> SearchService -> SearchApi, status pages, search page | ElasticsearchService
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "tools/server/access_tokens.h"
#include "tools/server/elasticsearch/elasticsearch_service.h"
#include "tools/server/http/http_server.h"
#include "tools/server/http/http_service.h"
#include "tools/server/index_catalog.h"
#include "tools/server/request_log.h"
#include "tools/server/result_cache.h"
#include "tools/server/search_api.h"
#include "tools/server/server_metrics.h"
#include "tools/server/users/user_map.h"
#include "tools/server/users/user_views.h"
#include "tools/server/writing/byte_budget.h"
#include "tools/server/writing/document_api.h"

namespace pmdex {

struct SearchServiceOptions {
  SearchApiOptions search;
  uint64_t result_cache_bytes = 0;
  AccessTokens tokens;
  // If not null, requests without one of the tokens are made for users, and see what these may see.
  std::shared_ptr<const UserMap> users = nullptr;
  size_t loops = 1;
};

class SearchService : public HttpService {
 public:
  // The catalog, the log and the indexes that are written outlive the service. log may be nullptr,
  // and writing is if nothing is written.
  SearchService(const SearchServiceOptions& options, IndexCatalog& catalog, RequestLog* log,
                WritableIndexes* writing = nullptr);

  ServeOutcome Serve(HttpRequest request, const RequestContext& context) override;
  HttpResponse Refuse(const HttpFailure& failure) override;
  HttpResponse TooLate() override;
  void Finished(const FinishedRequest& request) override;
  // Lets go of an older set of indexes, even where no request comes.
  void Tick(size_t loop) override;

  // For /metrics.
  void set_server(const HttpServer* server) { server_ = server; }
  // From now on /readyz says no.
  void BeginDrain() { is_draining_ = true; }
  const ServerMetrics& metrics() const { return metrics_; }

 private:
  // The indexes as a loop knows them, so that its requests need no lock.
  struct alignas(64) LoopIndexes {
    uint64_t version = 0;
    std::shared_ptr<const ServedIndexes> indexes;
  };

  // The indexes that a request is answered from: of the server, or as its user sees them.
  using Indexes = std::shared_ptr<const ServedIndexes>;

  const Indexes& IndexesOf(size_t loop);
  ServeOutcome ServeUser(HttpRequest request, const RequestContext& context);
  bool IsForUser(const HttpRequest& request) const;
  // The rest is called by any thread.
  ServeOutcome ServeCoded(HttpRequest request, const RequestContext& context,
                          const Indexes& indexes);
  ServeOutcome Route(HttpRequest request, const RequestContext& context, const Indexes& indexes);
  ServeOutcome ServeSearch(HttpRequest request, const RequestContext& context,
                           const Indexes& indexes);
  ServeOutcome ServeDocuments(HttpRequest request, const Indexes& indexes);
  ServeOutcome ServeStats(const HttpRequest& request, const Indexes& indexes);
  ServeOutcome ServeRoot(HttpRequest request, const RequestContext& context,
                         const Indexes& indexes);
  ServeOutcome ServeOther(HttpRequest request, const RequestContext& context,
                          const Indexes& indexes);
  HttpResponse Ready() const;

  ServerMetrics metrics_;
  ResultCache cache_;
  const AccessTokens tokens_;
  const std::shared_ptr<const UserMap> users_;
  const std::chrono::milliseconds timeout_;  // of a request, from its arrival
  UserViews views_;
  IndexCatalog& catalog_;
  RequestLog* const log_;
  SearchApi search_;
  ElasticsearchService elasticsearch_;
  DocumentApi documents_;
  ByteBudget coded_bytes_{uint64_t{256} << 20};  // of compressed bodies that wait for the pool
  std::vector<LoopIndexes> loops_;               // each used by its loop alone
  std::atomic<const HttpServer*> server_{nullptr};
  std::atomic<bool> is_draining_{false};
  const ServerClock::time_point start_ = ServerClock::now();
};

}  // namespace pmdex
