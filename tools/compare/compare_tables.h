// The tables of `pmdex compare`, for a terminal and for the page. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/compare/compare_result.h"
#include "tools/report/report_table.h"

namespace pmdex {

// The indexes: documents, postings, segments, bytes, bytes a posting, build and open time.
ReportTable IndexTable(const CompareResult& result);
// What the indexes hold: tokens, terms, and the bytes of each part.
ReportTable IndexPartTable(const CompareResult& result);
// One row for each class: all numbers of one configuration.
ReportTable ClassTable(const ComparedConfiguration& configuration);
// What a query of each class touches, by section; no rows if nothing was recorded.
ReportTable TouchTable(const ComparedConfiguration& configuration);
// How well the planning model meets each class in DRAM, and what it predicts; may have no rows.
ReportTable ModelTable(const ComparedConfiguration& configuration);
// What the queries of each class cost the CPU; no rows if nothing was counted.
ReportTable CounterTable(const ComparedConfiguration& configuration);
// What was skipped, and why.
ReportTable SkippedTable(const CompareResult& result);

// The modes and scales that ran, in their order.
std::vector<std::string> ModesOf(const CompareResult& result);
std::vector<uint64_t> ScalesOf(const CompareResult& result);

// "12.3" or "1,234".
std::string ShortNumber(double value);

}  // namespace pmdex
