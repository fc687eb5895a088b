// A table of a report as HTML. For html_report. Thread-safe: no state.
#pragma once

#include <string>

#include "tools/report/report_table.h"

namespace pmdex {

// The <figure> with the <table>, or with several if the table is too wide for paper: each has the
// key columns and some of the others. All text is escaped.
std::string TableToHtml(const ReportTable& table);

}  // namespace pmdex
