// Reads queries on fields that are not text: range, and what the other kinds of queries mean there.
// Such values are not analysed, and every match scores 1. Returned trees have no boost of the query
// itself yet.
//
// A value that is none of the field's type is a query_shard_exception, as in Elasticsearch.
#pragma once

#include <string_view>

#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

// The documents with a value between gt or gte and lt or lte. options: an object with known keys. A
// field that no document has matches nothing.
QueryOr ReadRange(DslScope& scope, std::string_view field, const Json& options);

// The functions below require a field for which scope.ColumnTypeOf says a type.

// The documents with this value: term, terms and match.
QueryOr ColumnTerm(DslScope& scope, std::string_view field, std::string_view text);
// Keywords that begin with the text, and those that match the pattern.
QueryOr ColumnPrefix(DslScope& scope, std::string_view field, std::string_view text);
QueryOr ColumnWildcard(DslScope& scope, std::string_view field, std::string_view pattern);
// For kinds of queries that only text has.
absl::Status NoQueryOfColumn(DslScope& scope, std::string_view kind, std::string_view field);
// For kinds of queries that look at the letters of words: `_id` takes whole ids.
absl::Status NotOfIds(const DslScope& scope, std::string_view kind);
// The documents with any value.
QueryPtr ColumnExists(DslScope& scope, std::string_view field);

}  // namespace pmdex
