#include "tools/report/table_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pmdex {
namespace {

constexpr double kPaddingEm = 1;
constexpr double kBold = 1.12;  // headings are wider by this
// Text wraps: a column of it needs no more than this.
constexpr double kTextColumnEm = 8;

// The widest piece of the text between places where it may wrap.
double WidestWordEm(std::string_view text) {
  double widest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" _/"), text.size() - 1) + 1;
    widest = std::max(widest, TextWidthEm(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return widest;
}

double ColumnWidthEm(const ReportTable& table, size_t column) {
  double cells = 0;
  for (const auto& row : table.rows) {
    if (column < row.size()) cells = std::max(cells, TextWidthEm(row[column]));
  }
  const ReportColumn& head = table.columns[column];
  if (!head.is_number) {
    return kPaddingEm + std::min(std::max(cells, kBold * TextWidthEm(head.name)), kTextColumnEm);
  }
  return kPaddingEm + std::max(cells, kBold * WidestWordEm(head.name));
}

// The columns of each part, without the keys, so that none is wider than the width if it has more
// than one column with those that belong to it.
std::vector<std::vector<size_t>> Divide(const ReportTable& table, size_t keys,
                                        const std::vector<double>& widths, double width) {
  const double key_width =
      std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(keys), 0.0);
  std::vector<std::vector<size_t>> parts;
  double used = 0;
  for (size_t begin = keys; begin < widths.size();) {
    size_t end = begin + 1;
    while (end < widths.size() && table.columns[end].belongs_to_previous) ++end;
    const double added = std::accumulate(widths.begin() + static_cast<std::ptrdiff_t>(begin),
                                         widths.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    if (parts.empty() || used + added > width) {
      parts.emplace_back();
      used = key_width;
    }
    used += added;
    for (; begin < end; ++begin) parts.back().push_back(begin);
  }
  return parts;
}

ReportTable PartOf(const ReportTable& table, size_t keys, const std::vector<size_t>& columns) {
  ReportTable part;
  part.key_columns = keys;
  std::vector<size_t> taken(keys);
  std::iota(taken.begin(), taken.end(), size_t{0});
  taken.insert(taken.end(), columns.begin(), columns.end());
  for (const size_t column : taken) part.columns.push_back(table.columns[column]);
  for (const auto& row : table.rows) {
    std::vector<std::string>& cells = part.rows.emplace_back();
    for (const size_t column : taken) {
      cells.push_back(column < row.size() ? row[column] : std::string());
    }
  }
  return part;
}

}  // namespace

double TextWidthEm(std::string_view text) {
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // inside a character of UTF-8
    if (std::string_view(" ,.:;'|!ijl").find(c) != std::string_view::npos) {
      width += 0.34;
    } else {
      width += std::string_view("MWmw%@").find(c) != std::string_view::npos ? 0.97 : 0.64;
    }
  }
  return width;
}

std::vector<ReportTable> PartsThatFit(const ReportTable& table) {
  std::vector<double> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) widths.push_back(ColumnWidthEm(table, i));
  const size_t keys = std::min(table.key_columns, widths.size());
  if (std::accumulate(widths.begin(), widths.end(), 0.0) <= kPartWidthEm) return {table};
  std::vector<std::vector<size_t>> divided = Divide(table, keys, widths, kPartWidthEm);
  // The smallest width that needs no further part makes parts of about the same width.
  for (int less = static_cast<int>(kPartWidthEm / 2); less > 0; --less) {
    std::vector<std::vector<size_t>> narrower = Divide(table, keys, widths, kPartWidthEm - less);
    if (narrower.size() > divided.size()) continue;
    divided = std::move(narrower);
    break;
  }
  std::vector<ReportTable> parts;
  for (const std::vector<size_t>& columns : divided) parts.push_back(PartOf(table, keys, columns));
  if (parts.empty()) return {table};
  parts[0].caption = table.caption;
  return parts;
}

}  // namespace pmdex
