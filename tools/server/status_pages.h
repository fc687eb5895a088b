// The bodies of /stats and /metrics. Pure functions of what they are given; thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "tools/server/http/http_server.h"
#include "tools/server/index_catalog.h"
#include "tools/server/request_log.h"
#include "tools/server/result_cache.h"
#include "tools/server/served_index.h"
#include "tools/server/server_metrics.h"

namespace pmdex {

// The facts of one index as a JSON object.
std::string IndexStatsJson(const ServedIndex& index);
// {"version", "uptime_seconds", "indexes": [...]}.
std::string ServerStatsJson(const ServedIndexes& indexes, std::chrono::seconds uptime);

// What /metrics shows. Pointers may be nullptr.
struct MetricSources {
  const ServerMetrics* metrics = nullptr;
  const IndexCatalog* catalog = nullptr;
  const HttpServer* server = nullptr;
  const ResultCache* cache = nullptr;
  const RequestLog* log = nullptr;
};
std::string MetricsText(const MetricSources& sources);

}  // namespace pmdex
