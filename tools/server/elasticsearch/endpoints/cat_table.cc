#include "tools/server/elasticsearch/endpoints/cat_table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "engine/analysis/code_points.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

// The value of a number with a unit of size, for sorting: 14.5kb.
double ValueOf(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::string_view kUnits = "bkmgtp";
  const size_t unit = parsed.ptr == text.data() + text.size() ? 0 : kUnits.find(*parsed.ptr);
  for (size_t i = 0; unit != kUnits.npos && i < unit; ++i) value *= 1024;
  return value;
}

}  // namespace

const CatColumn* CatTable::Find(std::string_view name) const {
  for (const CatColumn& column : columns_) {
    if (column.name == name || HasWord(column.aliases, name)) return &column;
  }
  return nullptr;
}

// Unknown names have no column, as in Elasticsearch.
std::vector<CatTable::Shown> CatTable::ShownColumns(const ApiCall& call) const {
  std::vector<Shown> shown;
  const std::vector<std::string> names = call.parameters.List("h");
  if (names.empty()) {
    for (size_t i = 0; i < columns_.size(); ++i)
      shown.push_back({i, std::string(columns_[i].name)});
  }
  for (const std::string& name : names) {
    if (const CatColumn* const found = Find(name)) {
      shown.push_back({static_cast<size_t>(found - columns_.data()), name});
      continue;
    }
    for (size_t i = 0; i < columns_.size() && name.find('*') != name.npos; ++i) {
      if (MatchesNamePattern(name, columns_[i].name)) {
        shown.push_back({i, std::string(columns_[i].name)});
      }
    }
  }
  return shown;
}

absl::Status CatTable::Sort(const std::vector<std::string>& keys) {
  // The last key first, so that earlier ones decide.
  for (size_t i = keys.size(); i-- > 0;) {
    const size_t colon = keys[i].find(':');
    const std::string name = keys[i].substr(0, colon);
    const std::string order = colon == keys[i].npos ? "asc" : keys[i].substr(colon + 1);
    const CatColumn* const column = Find(name);
    if (column == nullptr || (order != "asc" && order != "desc")) {
      return ApiError(400, "unsupported_operation_exception",
                      absl::StrCat("Unable to sort by unknown sort key `", keys[i], "`"));
    }
    const auto place = static_cast<size_t>(column - columns_.data());
    const auto is_before = [&](const auto& a, const auto& b) {
      const auto& first = order == "asc" ? a[place] : b[place];
      const auto& second = order == "asc" ? b[place] : a[place];
      return column->is_number ? ValueOf(first) < ValueOf(second) : first < second;
    };
    std::stable_sort(rows_.begin(), rows_.end(), is_before);
  }
  return absl::OkStatus();
}

std::string CatTable::AsText(const std::vector<Shown>& shown, bool with_titles) const {
  std::vector<size_t> widths;
  for (const Shown& column : shown) {
    size_t width = with_titles ? CountCodePoints(column.title) : 0;
    for (const auto& row : rows_) width = std::max(width, CountCodePoints(row[column.column]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (size_t i = 0; i < shown.size(); ++i) {
      const std::string& cell = cell_of(shown[i]);
      const std::string padding(widths[i] - CountCodePoints(cell), ' ');
      const bool is_number = columns_[shown[i].column].is_number;
      if (i > 0) text += ' ';
      if (is_number) text += padding;
      text += cell;
      if (!is_number && i + 1 < shown.size()) text += padding;
    }
    text += '\n';
  };
  if (with_titles) add_line([](const Shown& column) -> const std::string& { return column.title; });
  for (const auto& row : rows_) {
    add_line([&](const Shown& column) -> const std::string& { return row[column.column]; });
  }
  return text;
}

Json CatTable::AsJson(const std::vector<Shown>& shown) const {
  Json rows = Json::array();
  for (const auto& row : rows_) {
    Json& out = rows.emplace_back(Json::object());
    for (const Shown& column : shown) {
      const std::string& cell = row[column.column];
      out[column.title] = cell.empty() ? Json() : Json(cell);
    }
  }
  return rows;
}

ApiAnswerOr CatTable::Answer(const ApiCall& call) {
  const std::vector<Shown> shown = ShownColumns(call);
  PMDEX_RETURN_IF_ERROR(Sort(call.parameters.List("s")));
  PMDEX_ASSIGN_OR_RETURN(const bool with_titles, call.parameters.Switch("v", false));
  const std::string format =
      absl::AsciiStrToLower(ToAbsl(call.parameters.Text("format").value_or("text")));
  if (format == "json") return ApiAnswer{200, AsJson(shown), {}};
  if (format == "text" || format == "txt") return ApiAnswer{200, {}, AsText(shown, with_titles)};
  return BadArgument(absl::StrCat("[format] takes [json] or [text] and not [", format, "]"));
}

}  // namespace pmdex
