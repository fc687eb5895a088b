// What `pmdex bench-server` prints and writes: JSON, lines of text, and a page with plots. Pure,
// but for WriteLoadReport; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/load/load_generator.h"
#include "tools/report/plot.h"

namespace pmdex {

struct LoadReport {
  std::string url;
  std::string requests_file;
  std::vector<LoadResult> steps;
};

// One JSON document on one line, without the end of the line.
std::string LoadReportToJson(const LoadReport& report);

// A table of text: its head, and the line of one step, so that a step can be printed when it ends.
std::string LoadTableHead();
std::string LoadTableLine(const LoadResult& step);

// Percentiles over the rate, and answers over the number of clients. Empty where nothing was
// measured.
std::vector<Plot> LoadPlots(const LoadReport& report);

// Writes bench-server.json, bench-server.html and its plots into a directory, which is made if it
// is missing.
absl::Status WriteLoadReport(const LoadReport& report, const std::string& directory);

}  // namespace pmdex
