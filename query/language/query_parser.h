// Parses Lucene's classic query syntax into a query tree. The README describes the language. As in
// Lucene's classic parser, AND and OR have no precedence over each other.
//
// query text -> QueryParser -> query tree -> BindQuery (query_binder.h)
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/analysis/analyzer.h"
#include "pmem/status.h"
#include "query/language/query.h"
#include "query/language/query_builder.h"
#include "query/language/query_field_reader.h"

namespace pmdex {

struct QueryParserLimits {
  size_t max_query_bytes = 64 << 10;
  size_t max_depth = 64;      // nested parentheses
  size_t max_clauses = 4096;  // words and phrases as written; several fields count once
};

class QueryParser {
 public:
  // A word without a field name searches every text field of the index: a match in any field
  // suffices, and scores are added. The analyzer must outlive the parser. For one thread.
  explicit QueryParser(Analyzer& analyzer, const QueryParserLimits& limits = {});
  // The same, but a word without a field name searches `default_fields`. These strings, too, must
  // outlive the parser.
  QueryParser(Analyzer& analyzer, std::span<const std::string> default_fields,
              const QueryParserLimits& limits = {});

  // From now on all words without an operator between them are required, as with AND between them.
  // As in Lucene, OR then makes the words on both sides optional.
  void RequireAllByDefault() { require_all_ = true; }
  // From now on the function says how many edits `word~tilde` has. Where it says nothing, the tilde
  // is a positive number, of which the whole part counts, at most 2. Without a function `word~` has
  // 2 edits, and N of `word~N` is 0, 1 or 2.
  void SetEditsOfTilde(EditsOfTilde edits) { edits_of_tilde_ = std::move(edits); }
  // From now on regular expressions over text are folded as words are (QueryBuilder::FoldedRegexp).
  void FoldRegexps() { folds_regexps_ = true; }

  // From now on the reader says which fields a name stands for. It must outlive the parser.
  void SetFieldReader(QueryFieldReader& reader) { field_reader_ = &reader; }

  // From now on fields that are not text have values in place of words. A range of any other field
  // matches nothing.
  void SetColumns(ColumnKnowledge columns) { columns_ = std::move(columns); }

  // kInvalidArgument if the query cannot be parsed: "column N: WHAT" (columns are characters,
  // counted from 1), then a line with the query and a line with a caret under the place.
  absl::StatusOr<std::unique_ptr<Query>> Parse(std::string_view text);

 private:
  Analyzer& analyzer_;
  QueryFields default_fields_;
  QueryParserLimits limits_;
  bool require_all_ = false;
  EditsOfTilde edits_of_tilde_;
  bool folds_regexps_ = false;
  QueryFieldReader* field_reader_ = nullptr;
  ColumnKnowledge columns_;
};

}  // namespace pmdex
