// Reads the queries that combine others: bool, constant_score and dis_max. Returned trees have no
// boost of the query itself yet. options: an object with known keys.
#pragma once

#include "tools/server/elasticsearch/dsl/dsl_scope.h"

namespace pmdex {

QueryOr ReadBool(DslScope& scope, const Json& options);
QueryOr ReadConstantScore(DslScope& scope, const Json& options);
QueryOr ReadDisMax(DslScope& scope, const Json& options);

}  // namespace pmdex
