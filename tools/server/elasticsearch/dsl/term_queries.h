// Reads the queries whose text is not analysed: term, terms, ids, prefix, wildcard, regexp, fuzzy
// and exists. Returned trees have no boost of the query itself yet.
#pragma once

#include <string>
#include <string_view>

#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

// options: an object with known keys. The same for the functions below.
QueryOr ReadTerm(DslScope& scope, std::string_view field, const Json& options);
QueryOr ReadPrefix(DslScope& scope, std::string_view field, const Json& options);
QueryOr ReadWildcard(DslScope& scope, std::string_view field, const Json& options);
QueryOr ReadRegexp(DslScope& scope, std::string_view field, const Json& options);
QueryOr ReadFuzzy(DslScope& scope, std::string_view field, const Json& options);
// body: {"field": [values]}, perhaps with boost and _name.
QueryOr ReadTerms(DslScope& scope, const Json& body);
QueryOr ReadIds(DslScope& scope, const Json& options);
QueryOr ReadExists(DslScope& scope, const Json& options);

// The documents that have a token or a value in the field, in one of its subfields, or in a field
// that the pattern matches; all with score 1.
QueryOr ExistsIn(DslScope& scope, std::string_view field);

// The regular expression with its ASCII letters in both cases, as Lucene's
// ASCII_CASE_INSENSITIVE has it.
std::string WithoutCase(std::string_view expression);

}  // namespace pmdex
