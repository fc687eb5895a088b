#include "tools/compare/latency_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pmem/check.h"

namespace pmdex {
namespace {

// Of 1 to 30 degrees of freedom (Fisher and Yates, "Statistical Tables", 1963, table III).
constexpr std::array<double, 30> kStudentT975 = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double kNormal975 = 1.95996;

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double HalfInterval(const std::vector<double>& means) {
  const double mean = MeanOf(means);
  const auto n = static_cast<double>(means.size());
  double squares = 0;
  for (const double value : means) squares += (value - mean) * (value - mean);
  return StudentT975(means.size() - 1) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double StudentT975(size_t degrees) {
  PMDEX_CHECK(degrees >= 1);
  if (degrees <= kStudentT975.size()) return kStudentT975[degrees - 1];
  // The first terms of the expansion by Cornish and Fisher (Abramowitz and Stegun, 26.7.5).
  const double z = kNormal975;
  return z + (z * z * z + z) / (4 * static_cast<double>(degrees));
}

double NearestRank(const std::vector<double>& sorted, double fraction) {
  PMDEX_CHECK(!sorted.empty());
  // A product such as 0.95 * 100 must not come out above its whole number.
  const double rank = std::ceil(fraction * static_cast<double>(sorted.size()) - 1e-9);
  return sorted[std::clamp<size_t>(static_cast<size_t>(rank), 1, sorted.size()) - 1];
}

double GeometricMean(const std::vector<double>& values) {
  PMDEX_CHECK(!values.empty());
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

LatencySummary SummarizeLatencies(const std::vector<std::vector<double>>& passes) {
  std::vector<double> all;
  std::vector<double> means;
  for (const std::vector<double>& pass : passes) {
    if (pass.empty()) continue;
    all.insert(all.end(), pass.begin(), pass.end());
    means.push_back(MeanOf(pass));
  }
  PMDEX_CHECK(!all.empty());
  LatencySummary summary;
  summary.runs = all.size();
  summary.mean_us = MeanOf(all);
  if (means.size() > 1) summary.ci95_us = HalfInterval(means);
  std::sort(all.begin(), all.end());
  summary.p50_us = NearestRank(all, 0.5);
  summary.p95_us = NearestRank(all, 0.95);
  summary.p99_us = NearestRank(all, 0.99);
  summary.max_us = all.back();
  return summary;
}

}  // namespace pmdex
