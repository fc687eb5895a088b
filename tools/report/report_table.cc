#include "tools/report/report_table.h"

#include <algorithm>

#include "tools/printable.h"

namespace pmdex {
namespace {

// How many characters the UTF-8 text has: all bytes but continuation bytes.
size_t CharactersOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

void AppendCell(const std::string& cell, size_t width, bool is_number, std::string& line) {
  const std::string fill(width - std::min(width, CharactersOf(cell)), ' ');
  if (!line.empty()) line += "  ";
  line += is_number ? fill + cell : cell + fill;
}

void AppendLine(std::string line, std::string& text) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string TableToText(const ReportTable& table) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& head = lines.emplace_back();
  for (const ReportColumn& column : table.columns) head.push_back(Printable(column.name));
  for (const auto& row : table.rows) {
    std::vector<std::string>& cells = lines.emplace_back();
    for (const std::string& cell : row) cells.push_back(Printable(cell));
  }
  std::vector<size_t> widths(table.columns.size(), 0);
  for (const auto& cells : lines) {
    for (size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], CharactersOf(cells[i]));
    }
  }
  std::string text = table.caption.empty() ? "" : Printable(table.caption) + "\n";
  for (const auto& cells : lines) {
    std::string line;
    for (size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
      AppendCell(cells[i], widths[i], table.columns[i].is_number, line);
    }
    AppendLine(std::move(line), text);
  }
  return text;
}

}  // namespace pmdex
