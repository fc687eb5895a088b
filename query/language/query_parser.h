// Lucene's classic query syntax to a query tree. README has the language; AND and OR have no
// precedence over each other, as in the classic parser.
//
// query text -> QueryParser -> query tree -> BindQuery (planner.h)
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/analysis/analyzer.h"
#include "pmem/status.h"
#include "query/language/query.h"
#include "query/language/query_builder.h"

namespace pmdex {

struct QueryParserLimits {
  size_t max_query_bytes = 64 << 10;
  size_t max_depth = 64;      // nested parentheses
  size_t max_clauses = 4096;  // words and phrases as written, however many fields they search
};

class QueryParser {
 public:
  // A word without a field searches every text field of the index; any of them may match, scores
  // add. The analyzer must outlive the parser. Belongs to one thread.
  explicit QueryParser(Analyzer& analyzer, const QueryParserLimits& limits = {});
  // The same, but a word without a field searches these. The span must outlive the parser, too.
  QueryParser(Analyzer& analyzer, std::span<const std::string> default_fields,
              const QueryParserLimits& limits = {});

  // kInvalidArgument: "column N: WHAT" (columns are characters, counted from 1), followed by the
  // query and a line with a caret under the place.
  absl::StatusOr<std::unique_ptr<Query>> Parse(std::string_view text);

 private:
  Analyzer& analyzer_;
  QueryFields default_fields_;
  QueryParserLimits limits_;
};

}  // namespace pmdex
