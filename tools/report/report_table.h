// A table of a report, which is printed as text on a terminal, and as HTML by table_html.h.
// Thread-safe: plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pmdex {

struct ReportColumn {
  std::string name;
  bool is_number = false;  // numbers are aligned to the right
  // Says something of the column before it, as a ratio does: the two are never parted.
  bool belongs_to_previous = false;
};

struct ReportTable {
  std::string caption;  // empty: none
  std::vector<ReportColumn> columns;
  // Each row has one cell for each column. An empty cell means: not measured.
  std::vector<std::vector<std::string>> rows;
  size_t key_columns = 1;  // how many of the first columns name a row
};

// The table with aligned columns, two spaces between them; the caption stands above. Foreign text
// in cells is made printable. Columns are as wide as their widest cell in characters of UTF-8.
std::string TableToText(const ReportTable& table);

}  // namespace pmdex
