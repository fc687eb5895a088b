// Search results as the JSON of the interface, and as text for people.
#pragma once

#include <string>
#include <string_view>

#include "pmem/status.h"
#include "query/searcher.h"

namespace pmdex {

// {"query", "total": {"value", "exact"}, "took_us", "hits": [{"id", "score"}]}, and when a part of
// the index did not answer "partial": true, "missing": [{"segment", "documents", "reason"}]. One
// line, no line end.
std::string ResultToJson(std::string_view query, const SearchResult& result);

// {"query", "error": {"type", "reason"}} for a line of a batch.
std::string ErrorToJson(std::string_view query, const absl::Status& status);

std::string ResultToText(const SearchResult& result);

}  // namespace pmdex
