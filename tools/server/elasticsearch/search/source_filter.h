// Which part of a document's source an answer has: all, none, or the keys that patterns choose.
// Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {

struct SourceFilter {
  bool shown = true;
  // Patterns of dotted paths, `*` for any run of characters. A path includes what is below it.
  std::vector<std::string> includes;  // empty: everything
  std::vector<std::string> excludes;

  bool whole() const { return includes.empty() && excludes.empty(); }
};

// Reads _source of a body: true, false, a pattern, patterns, {"includes": .., "excludes": ..}.
absl::StatusOr<SourceFilter> ReadSourceFilter(const Json& value);
// Reads _source, _source_includes and _source_excludes of a URL. They go before `otherwise`.
absl::StatusOr<SourceFilter> ReadSourceFilter(const Parameters& parameters, SourceFilter otherwise);

// The source as it stands if the filter shows the whole, else what is left of it. Requires
// filter.shown.
Json FilteredSource(std::string_view source, const SourceFilter& filter);

}  // namespace pmdex
