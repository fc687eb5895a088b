// The tables of `pmdex compare` that set configurations side by side. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/report_table.h"

namespace pmdex {

// One row for each class, one column for each configuration of the mode and the scale: the mean
// time, and how many times that of the first one. Columns of other runs (--beside) follow: those of
// the same scale, or all if this run has one scale.
ReportTable MeanTable(const CompareResult& result, const std::string& mode, uint64_t scale);
ReportTable MedianTable(const CompareResult& result, const std::string& mode, uint64_t scale);
ReportTable P99Table(const CompareResult& result, const std::string& mode, uint64_t scale);

// Two tables for each place of indexes of several scales: the mean and the median time of each
// class by scale. None if there is one scale.
std::vector<ReportTable> GrowthTables(const CompareResult& result, const std::string& mode);

// All of these tables.
std::vector<ReportTable> ComparingTables(const CompareResult& result, const std::string& mode);

// All tables of the comparison and the advice as text.
std::string CompareToText(const CompareResult& result);

}  // namespace pmdex
