// The tables of `pmdex compare`, for a terminal and for the page. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/report_table.h"

namespace pmdex {

// The indexes: documents, postings, segments, bytes, bytes a posting, build and open time.
ReportTable IndexTable(const CompareResult& result);
// One row for each class: all numbers of one configuration.
ReportTable ClassTable(const ComparedConfiguration& configuration);
// One row for each class, one column for each configuration of the mode: the mean time, and how
// many times that of the first one. Columns of other runs (--beside) follow.
ReportTable MeanTable(const CompareResult& result, const std::string& mode);
ReportTable P99Table(const CompareResult& result, const std::string& mode);
// What was skipped, and why.
ReportTable SkippedTable(const CompareResult& result);

// The modes that ran, in their order.
std::vector<std::string> ModesOf(const CompareResult& result);

// All tables and the advice as text.
std::string CompareToText(const CompareResult& result);

// "12.3" or "1,234".
std::string ShortNumber(double value);

}  // namespace pmdex
