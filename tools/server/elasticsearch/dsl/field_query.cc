#include "tools/server/elasticsearch/dsl/field_query.h"

#include <cfloat>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

absl::Status Malformed(std::string_view query, std::string_view what) {
  return ApiError(400, "parsing_exception",
                  absl::StrCat("[", ToAbsl(query), "] query ", ToAbsl(what)));
}

}  // namespace

absl::StatusOr<FieldQuery> ReadFieldQuery(std::string_view query, const Json& body,
                                          const char* short_key) {
  if (!body.is_object()) return Malformed(query, "malformed, no start_object after query name");
  if (body.empty()) return Malformed(query, "names no field");
  const auto first = body.begin();
  if (body.size() > 1) {
    return Malformed(query, absl::StrCat("doesn't support multiple fields, found [", first.key(),
                                         "] and [", std::next(first).key(), "]"));
  }
  FieldQuery read{first.key(), first.value()};
  if (read.options.is_array()) return Malformed(query, "does not support array of values");
  if (!read.options.is_object()) read.options = Json{{short_key, read.options}};
  const std::string where = absl::StrCat("[", ToAbsl(query), "] query");
  PMDEX_RETURN_IF_ERROR(CheckKeys(read.options, FindQueryOptions(query)->options, where));
  return read;
}

absl::Status ApplyBoost(std::string_view name, const Json& options, Query& query) {
  const auto found = options.find("boost");
  if (found == options.end()) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const double boost, JsonNumber("boost", *found));
  if (boost < 0) {
    return BadArgument(absl::StrCat("negative [boost] are not allowed in [", ToAbsl(name),
                                    "], use a value between 0 and 1 to deboost"));
  }
  if (boost > FLT_MAX) return BadArgument("[boost] is too large for a score");
  query.boost *= static_cast<float>(boost);
  return absl::OkStatus();
}

}  // namespace pmdex
