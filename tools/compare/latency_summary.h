// Sums up measured times: mean, confidence interval, percentiles. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pmdex {

struct LatencySummary {
  uint64_t runs = 0;
  double mean_us = 0;
  std::optional<double> ci95_us;  // absent with one pass
  double p50_us = 0;
  double p95_us = 0;
  double p99_us = 0;
  double max_us = 0;
};

// passes: the times of one pass each; at least one time in all. The percentiles are over all times,
// by nearest rank. The confidence interval is that of Student's t over the means of the passes,
// mean +- t(n - 1) s / sqrt(n), as Georges, Buytaert and Eeckhout ask for fewer than 30
// measurements ("Statistically rigorous Java performance evaluation", OOPSLA 2007).
LatencySummary SummarizeLatencies(const std::vector<std::vector<double>>& passes);

// The quantile 0.975 of Student's t distribution. Requires degrees >= 1.
double StudentT975(size_t degrees);

// The value at the rank ceil(fraction n) of n sorted values. Requires n > 0.
double NearestRank(const std::vector<double>& sorted, double fraction);

// The geometric mean. Requires at least one value, and all values above 0.
double GeometricMean(const std::vector<double>& values);

}  // namespace pmdex
