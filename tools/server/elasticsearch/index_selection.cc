#include "tools/server/elasticsearch/index_selection.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

void Remove(SelectedIndexes& selected, std::string_view pattern) {
  std::erase_if(selected,
                [&](const auto& index) { return MatchesNamePattern(pattern, index->name); });
}

absl::Status AddPattern(std::string_view part, IndexSpan indexes, const SelectionOptions& options,
                        SelectedIndexes& selected) {
  const std::string_view pattern = part == "_all" ? "*" : part;
  bool found = false;
  for (const auto& index : indexes) {
    if (!options.expand || !MatchesNamePattern(pattern, index->name)) continue;
    selected.push_back(index);
    found = true;
  }
  return found || options.allow_no_indices ? absl::OkStatus() : IndexNotFound(part);
}

}  // namespace

bool IsPattern(std::string_view part) {
  return part.find('*') != part.npos || part == "_all";
}

absl::StatusOr<bool> ExpandsOpenIndexes(const std::vector<std::string>& values) {
  bool expands = values.empty();
  for (const std::string& value : values) {
    if (!HasWord("open closed hidden none all", value)) {
      return BadArgument(absl::StrCat("No valid expand wildcard value [", value, "]"));
    }
    if (value == "none") expands = false;
    if (value == "open" || value == "all") expands = true;
  }
  return expands;
}

absl::StatusOr<SelectionOptions> ReadSelectionOptions(const Parameters& parameters) {
  SelectionOptions options;
  PMDEX_ASSIGN_OR_RETURN(options.ignore_unavailable,
                         parameters.Switch("ignore_unavailable", options.ignore_unavailable));
  PMDEX_ASSIGN_OR_RETURN(options.allow_no_indices,
                         parameters.Switch("allow_no_indices", options.allow_no_indices));
  PMDEX_ASSIGN_OR_RETURN(options.expand, ExpandsOpenIndexes(parameters.List("expand_wildcards")));
  return options;
}

absl::StatusOr<SelectedIndexes> SelectIndexes(std::string_view expression, IndexSpan indexes,
                                              const SelectionOptions& options) {
  SelectedIndexes selected;
  bool after_pattern = false;
  for (const std::string& part : SplitAtCommas(expression.empty() ? "_all" : expression)) {
    if (part.starts_with('-') && after_pattern) {
      const std::string_view removed = std::string_view(part).substr(1);
      const bool is_known = IsPattern(removed) || FindIndex(removed, indexes).ok();
      if (!is_known && !options.ignore_unavailable) return IndexNotFound(removed);
      Remove(selected, removed);
    } else if (IsPattern(part)) {
      after_pattern = true;
      PMDEX_RETURN_IF_ERROR(AddPattern(part, indexes, options, selected));
    } else {
      auto index = FindIndex(part, indexes);
      if (!index.ok() && !options.ignore_unavailable) return IndexNotFound(part);
      if (index.ok()) selected.push_back(*std::move(index));
    }
  }
  const auto by_name = [](const auto& a, const auto& b) { return a->name < b->name; };
  std::sort(selected.begin(), selected.end(), by_name);
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  if (selected.empty() && !options.allow_no_indices) return IndexNotFound(expression);
  return selected;
}

absl::StatusOr<std::shared_ptr<const ServedIndex>> FindIndex(std::string_view name,
                                                             IndexSpan indexes) {
  for (const auto& index : indexes) {
    if (index->name == name) return index;
  }
  return IndexNotFound(name, "index_expression");
}

}  // namespace pmdex
