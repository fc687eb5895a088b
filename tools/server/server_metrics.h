// What the server counts while it answers. Each thread adds to one of several shards, so that the
// threads do not wait for each other's cache lines; a reader adds the shards up. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pmem/latency_histogram.h"

namespace pmdex {

enum class Endpoint {
  kSearch,
  kDocuments,
  kElasticsearch,
  kStats,
  kMetrics,
  kHealth,
  kPage,
  kOther
};
inline constexpr std::array<std::string_view, 8> kEndpointNames = {
    "search", "documents", "elasticsearch", "stats", "metrics", "health", "page", "other"};

enum class Stage {
  kQueue,   // from the arrival until a thread takes the request
  kSearch,  // in the index
  kEncode,  // making and compressing the body
  kTotal,   // from the arrival until the answer is made
};
inline constexpr std::array<std::string_view, 4> kStageNames = {"queue", "search", "encode",
                                                                "total"};

enum class ServerEvent {
  kShed,      // refused because others wait
  kDeadline,  // stopped, or not begun, because of the deadline
  kPartial,   // answered without segments that are damaged
  kHeavy,     // answered by the pool
  kCacheHit,
  kCacheMiss,
  kUnauthorized,
};
inline constexpr std::array<std::string_view, 7> kServerEventNames = {
    "shed",        "deadline", "partial", "heavy", "result_cache_hits", "result_cache_misses",
    "unauthorized"};

class ServerMetrics {
 public:
  void CountRequest(Endpoint endpoint, int status);
  void CountEvent(ServerEvent event);
  void AddTime(Stage stage, std::chrono::nanoseconds time);

  uint64_t events(ServerEvent event) const;
  // The lines of these metrics in the text format of Prometheus.
  void AppendTo(std::string& text) const;

 private:
  static constexpr size_t kShards = 16;
  static constexpr std::array<int, 23> kStatuses = {200, 201, 204, 304, 400, 401, 403, 404,
                                                    405, 406, 408, 409, 413, 415, 417, 429,
                                                    431, 500, 501, 503, 504, 505, 0};
  struct alignas(64) Shard {
    std::array<std::array<std::atomic<uint64_t>, kStatuses.size()>, kEndpointNames.size()>
        requests = {};
    std::array<std::atomic<uint64_t>, kServerEventNames.size()> events = {};
    std::array<LatencyHistogram, kStageNames.size()> stages;
  };

  Shard& ShardOfThread();
  void AppendRequests(std::string& text) const;
  void AppendStages(std::string& text) const;

  std::array<Shard, kShards> shards_;
};

// "# HELP NAME WHAT\n# TYPE NAME TYPE\n".
void AppendMetricHead(std::string_view name, std::string_view type, std::string_view what,
                      std::string& text);
// NAME{LABELS} VALUE\n; without braces if there are no labels.
void AppendMetric(std::string_view name, std::string_view labels, double value, std::string& text);
// The lines of a histogram that is the sum of `parts`: the buckets, the sum and the count. LABELS
// as above.
void AppendHistogram(std::string_view name, std::string_view labels,
                     std::span<const LatencyHistogram* const> parts, std::string& text);
// The value of a label with its quotes.
std::string MetricLabel(std::string_view value);

}  // namespace pmdex
