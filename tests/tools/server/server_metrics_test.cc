#include "tools/server/server_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/server/http/response_head.h"

namespace pmdex {
namespace server_metrics_test {

using testing::HasSubstr;

TEST(ServerMetrics, AddsUpWhatAllThreadsCount) {
  ServerMetrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        metrics.CountRequest(Endpoint::kSearch, 200);
        metrics.CountRequest(Endpoint::kSearch, 599);
        metrics.CountEvent(ServerEvent::kShed);
        metrics.AddTime(Stage::kSearch, std::chrono::microseconds(20));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.events(ServerEvent::kShed), 2000u);
  std::string text;
  metrics.AppendTo(text);
  EXPECT_THAT(text,
              HasSubstr("pmdex_http_requests_total{endpoint=\"search\",code=\"200\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("endpoint=\"search\",code=\"other\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("pmdex_shed_requests_total 2000\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{stage=\"search\",le=\"1e-05\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{stage=\"search\",le=\"2.5e-05\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{stage=\"search\",le=\"+Inf\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("pmdex_request_stage_seconds_count{stage=\"search\"} 2000\n"));
}

TEST(ServerMetrics, QuotesTheValuesOfLabels) {
  EXPECT_EQ(MetricLabel("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
  std::string text;
  AppendMetricHead("x", "gauge", "What.", text);
  AppendMetric("x", "", 0.5, text);
  EXPECT_EQ(text, "# HELP x What.\n# TYPE x gauge\nx 0.5\n");
}

TEST(ServerMetrics, WritesAHistogramWithoutLabels) {
  LatencyHistogram histogram;
  histogram.Add(std::chrono::seconds(1));
  const LatencyHistogram* const part = &histogram;
  std::string text;
  AppendHistogram("y", "", {&part, 1}, text);
  EXPECT_THAT(text, testing::StartsWith("y_bucket{le=\"1e-05\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("y_bucket{le=\"0.5\"} 0\ny_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text, testing::EndsWith("y_bucket{le=\"+Inf\"} 1\ny_sum 1\ny_count 1\n"));
}

TEST(ServerMetrics, CountsEachStatusThatTheServerUses) {
  ServerMetrics metrics;
  std::vector<int> statuses;
  for (int status = 200; status < 600; ++status) {
    if (ReasonPhrase(status) == std::string_view("Status")) continue;
    metrics.CountRequest(Endpoint::kSearch, status);
    statuses.push_back(status);
  }
  EXPECT_THAT(statuses, testing::IsSupersetOf({200, 406, 417, 505}));
  std::string text;
  metrics.AppendTo(text);
  for (const int status : statuses) {
    EXPECT_THAT(text,
                HasSubstr("{endpoint=\"search\",code=\"" + std::to_string(status) + "\"} 1\n"));
  }
}

}  // namespace server_metrics_test
}  // namespace pmdex
