// Makes nodes of the query tree for the reader of the query DSL. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/status.h"
#include "query/language/query.h"

namespace pmdex {

using QueryPtr = std::unique_ptr<Query>;
using QueryOr = absl::StatusOr<QueryPtr>;

QueryPtr QueryOfKind(QueryKind kind);
// A leaf of this kind over one field. `text` is normalised or analysed already.
QueryPtr FieldLeaf(QueryKind kind, std::string_view field, std::string_view text);
QueryPtr IdsQuery(std::vector<std::string> ids);
// A boolean in which each query has this occur. One query alone stands for itself; none match
// nothing.
QueryPtr AllOf(Occur occur, std::vector<QueryPtr> queries);
QueryPtr ConstantScoreOf(QueryPtr filter);
// One query alone stands for itself; none match nothing.
QueryPtr BestOf(std::vector<QueryPtr> queries, float tie_breaker);

}  // namespace pmdex
