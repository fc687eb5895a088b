// Resolves the index part of a URL: a name, a list `a,b`, patterns `a*`, exclusions `-a`, `_all`.
// As in Elasticsearch, an exclusion counts only behind a pattern. Stateless.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/parameters.h"
#include "tools/server/served_index.h"

namespace pmdex {

using IndexSpan = std::span<const std::shared_ptr<const ServedIndex>>;
using SelectedIndexes = std::vector<std::shared_ptr<const ServedIndex>>;

struct SelectionOptions {
  bool ignore_unavailable = false;  // a name that does not exist selects nothing
  bool allow_no_indices = true;     // a pattern that matches nothing selects nothing
  bool expand = true;               // patterns match open indexes
};

// True if a part of an expression stands for all indexes that match it, not for one name.
bool IsPattern(std::string_view part);

absl::StatusOr<SelectionOptions> ReadSelectionOptions(const Parameters& parameters);
// value: of expand_wildcards. All indexes are open and visible.
absl::StatusOr<bool> ExpandsOpenIndexes(const std::vector<std::string>& values);

// The selected indexes by ascending name, each once. expression: empty selects all. Returns
// IndexNotFound as the options say.
absl::StatusOr<SelectedIndexes> SelectIndexes(std::string_view expression, IndexSpan indexes,
                                              const SelectionOptions& options);
// The index of exactly this name, or IndexNotFound.
absl::StatusOr<std::shared_ptr<const ServedIndex>> FindIndex(std::string_view name,
                                                             IndexSpan indexes);

}  // namespace pmdex
