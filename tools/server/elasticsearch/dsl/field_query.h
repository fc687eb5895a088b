// Reads the form that most queries have: {"field": value} or {"field": {"query": value, options}}.
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/server/elasticsearch/dsl/dsl_scope.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

struct FieldQuery {
  std::string field;
  Json options;  // an object with known keys
};

// short_key: the option that a plain value stands for.
absl::StatusOr<FieldQuery> ReadFieldQuery(std::string_view query, const Json& body,
                                          const char* short_key);

// Multiplies the boost that the options have into the query. A boost may not be negative.
absl::Status ApplyBoost(std::string_view name, const Json& options, Query& query);

}  // namespace pmdex
