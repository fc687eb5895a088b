// Formats search results as JSON and as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/json_writer.h"

namespace pmdex {

// {"query", "total": {"value", "exact"}, "took_us", "hits": [{"id", "score"}]}. If a part of the
// index did not answer, also "partial": true, "missing": [{"segment", "documents", "reason"}]. One
// line, without a newline. cache: its counts are written, too (WriteCache); may be nullptr.
std::string ResultToJson(std::string_view query, const SearchResult& result,
                         const BlockCache* cache = nullptr);

// The same text in pieces, for answers with very many hits. For one thread.
class ResultJsonPieces {
 public:
  ResultJsonPieces(std::string query, SearchResult result)
      : query_(std::move(query)), result_(std::move(result)) {}
  // About 64 KiB of text; an empty string at the end.
  std::string Next();

 private:
  std::string query_;
  SearchResult result_;
  JsonWriter json_;
  size_t next_hit_ = 0;
  bool has_begun_ = false;
  bool has_ended_ = false;
};

// {"query", "error": {"type", "reason"}}, for a query of a batch that failed.
std::string ErrorToJson(std::string_view query, const absl::Status& status);

std::string ResultToText(const SearchResult& result);

}  // namespace pmdex
