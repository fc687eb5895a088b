// Formats search results as JSON and as text.
#pragma once

#include <string>
#include <string_view>

#include "pmem/status.h"
#include "query/searcher.h"

namespace pmdex {

// {"query", "total": {"value", "exact"}, "took_us", "hits": [{"id", "score"}]}. If a part of the
// index did not answer, also "partial": true, "missing": [{"segment", "documents", "reason"}]. One
// line, without a newline.
std::string ResultToJson(std::string_view query, const SearchResult& result);

// {"query", "error": {"type", "reason"}}, for a query of a batch that failed.
std::string ErrorToJson(std::string_view query, const absl::Status& status);

std::string ResultToText(const SearchResult& result);

}  // namespace pmdex
