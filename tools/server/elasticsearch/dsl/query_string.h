// Reads query_string and the parameter q: text in Lucene's classic syntax, which QueryParser
// parses. As in Elasticsearch, a word without a field is searched in each default field, and the
// best field counts. Returned trees have no boost of the query itself yet.
#pragma once

#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

// options: an object with known keys.
QueryOr ReadQueryString(DslScope& scope, const Json& options);

}  // namespace pmdex
