// A table as the _cat endpoints show it: text in columns, or JSON. Columns are chosen, named and
// sorted by the parameters format, h, v and s. For one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

struct CatColumn {
  std::string_view name;
  std::string_view aliases;  // words
  bool is_number = false;    // aligned to the right and sorted by value
};

class CatTable {
 public:
  explicit CatTable(std::vector<CatColumn> columns) : columns_(std::move(columns)) {}

  // Requires a text for each column; an empty one where there is no value, which is null in JSON.
  void AddRow(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // sort_keys: for each row what it is sorted by in a column whose text is no number.
  ApiAnswerOr Answer(const ApiCall& call);

 private:
  struct Shown {
    size_t column = 0;
    std::string title;  // as the request names it
  };

  const CatColumn* Find(std::string_view name) const;
  std::vector<Shown> ShownColumns(const ApiCall& call) const;
  absl::Status Sort(const std::vector<std::string>& keys);
  std::string AsText(const std::vector<Shown>& shown, bool with_titles) const;
  Json AsJson(const std::vector<Shown>& shown) const;

  const std::vector<CatColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pmdex
