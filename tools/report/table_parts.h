// Divides a table that is too wide for paper into parts, each with the columns that name its rows.
// For the pages of reports. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/report_table.h"

namespace pmdex {

// What a part may take, in em of the table's type. A column of A4 paper and a screen of 680 pixels
// have room for it, with the margins and sizes of html_report.cc.
inline constexpr double kPartWidthEm = 45;

// How wide the text is on one line, in em, in DejaVu Sans, which is wider than most typefaces that
// the pages ask for. An estimate.
double TextWidthEm(std::string_view text);

// The parts from left to right: the table itself if it fits, else parts of about the same width.
// Each begins with the key columns. The caption stands over the first. A part with a single
// column beside its keys can be wider than kPartWidthEm, as can a column with the columns that
// belong to it.
std::vector<ReportTable> PartsThatFit(const ReportTable& table);

}  // namespace pmdex
