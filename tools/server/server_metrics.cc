#include "tools/server/server_metrics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

template <typename Enum>
size_t IndexOf(Enum value) {
  return static_cast<size_t>(value);
}

}  // namespace

ServerMetrics::Shard& ServerMetrics::ShardOfThread() {
  static std::atomic<size_t> threads{0};
  thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return shards_[number % kShards];
}

void ServerMetrics::CountRequest(Endpoint endpoint, int status) {
  const auto found = std::find(kStatuses.begin(), kStatuses.end() - 1, status);
  const auto column = static_cast<size_t>(found - kStatuses.begin());
  ShardOfThread().requests[IndexOf(endpoint)][column].fetch_add(1, std::memory_order_relaxed);
}

void ServerMetrics::CountEvent(ServerEvent event) {
  ShardOfThread().events[IndexOf(event)].fetch_add(1, std::memory_order_relaxed);
}

void ServerMetrics::AddTime(Stage stage, std::chrono::nanoseconds time) {
  ShardOfThread().stages[IndexOf(stage)].Add(time);
}

uint64_t ServerMetrics::events(ServerEvent event) const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.events[IndexOf(event)].load();
  return sum;
}

void ServerMetrics::AppendRequests(std::string& text) const {
  constexpr std::string_view kName = "pmdex_http_requests_total";
  AppendMetricHead(kName, "counter", "Requests by endpoint and status.", text);
  for (size_t endpoint = 0; endpoint < kEndpointNames.size(); ++endpoint) {
    for (size_t column = 0; column < kStatuses.size(); ++column) {
      uint64_t sum = 0;
      for (const Shard& shard : shards_) sum += shard.requests[endpoint][column].load();
      if (sum == 0) continue;
      const std::string code = kStatuses[column] == 0 ? "other" : absl::StrCat(kStatuses[column]);
      AppendMetric(
          kName,
          absl::StrCat("endpoint=\"", ToAbsl(kEndpointNames[endpoint]), "\",code=\"", code, "\""),
          static_cast<double>(sum), text);
    }
  }
}

void ServerMetrics::AppendStages(std::string& text) const {
  constexpr std::string_view kName = "pmdex_request_stage_seconds";
  AppendMetricHead(kName, "histogram", "Time of requests by stage.", text);
  for (size_t stage = 0; stage < kStageNames.size(); ++stage) {
    std::array<const LatencyHistogram*, kShards> parts = {};
    for (size_t i = 0; i < kShards; ++i) parts[i] = &shards_[i].stages[stage];
    AppendHistogram(kName, absl::StrCat("stage=\"", ToAbsl(kStageNames[stage]), "\""), parts, text);
  }
}

void ServerMetrics::AppendTo(std::string& text) const {
  AppendRequests(text);
  for (size_t i = 0; i < kServerEventNames.size(); ++i) {
    const std::string name = absl::StrCat("pmdex_", ToAbsl(kServerEventNames[i]),
                                          i == 4 || i == 5 ? "" : "_requests", "_total");
    AppendMetricHead(
        name, "counter",
        absl::StrCat("Requests that were counted as ", ToAbsl(kServerEventNames[i]), "."), text);
    AppendMetric(name, "", static_cast<double>(events(static_cast<ServerEvent>(i))), text);
  }
  AppendStages(text);
}

void AppendHistogram(std::string_view name, std::string_view labels,
                     std::span<const LatencyHistogram* const> parts, std::string& text) {
  constexpr auto& kBoundsUs = LatencyHistogram::kBoundsUs;
  const std::string bucket_name = absl::StrCat(ToAbsl(name), "_bucket");
  const std::string comma = labels.empty() ? "" : ",";
  uint64_t below = 0;
  double sum_seconds = 0;
  for (const LatencyHistogram* part : parts) sum_seconds += part->sum_seconds();
  for (size_t bucket = 0; bucket <= kBoundsUs.size(); ++bucket) {
    for (const LatencyHistogram* part : parts) below += part->count(bucket);
    const std::string bound =
        bucket == kBoundsUs.size()
            ? "+Inf"
            : absl::StrFormat("%g", static_cast<double>(kBoundsUs[bucket]) * 1e-6);
    AppendMetric(bucket_name, absl::StrCat(ToAbsl(labels), comma, "le=\"", bound, "\""),
                 static_cast<double>(below), text);
  }
  AppendMetric(absl::StrCat(ToAbsl(name), "_sum"), labels, sum_seconds, text);
  AppendMetric(absl::StrCat(ToAbsl(name), "_count"), labels, static_cast<double>(below), text);
}

void AppendMetricHead(std::string_view name, std::string_view type, std::string_view what,
                      std::string& text) {
  absl::StrAppend(&text, "# HELP ", ToAbsl(name), " ", ToAbsl(what), "\n# TYPE ", ToAbsl(name), " ",
                  ToAbsl(type), "\n");
}

void AppendMetric(std::string_view name, std::string_view labels, double value, std::string& text) {
  absl::StrAppend(&text, ToAbsl(name));
  if (!labels.empty()) absl::StrAppend(&text, "{", ToAbsl(labels), "}");
  absl::StrAppend(&text, " ", absl::StrFormat("%.17g", value), "\n");
}

std::string MetricLabel(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace pmdex
