// Errors in Elasticsearch's form. They travel as an absl::Status that carries the HTTP status and
// the JSON of the error; ErrorBody makes the answer of any status. Stateless.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

// type: as Elasticsearch calls it. more: an object of further keys of the error, or null.
absl::Status ApiError(int http_status, std::string_view type, std::string_view reason,
                      const nlohmann::ordered_json& more = nullptr);
// An error that a query has in an index rather than in itself: the answer of an _msearch has it at
// the search that it belongs to.
absl::Status ShardError(std::string_view type, std::string_view reason, std::string_view index,
                        int http_status = 400);
// True for what ShardError and JoinShardErrors return.
bool IsShardError(const absl::Status& status);
// {"shard": .., "index": .., "node": .., "reason": {..}} for each index. Requires IsShardError.
nlohmann::ordered_json FailedShards(const absl::Status& status);
// The error of a search that has an error in each of its indexes. Requires that there is one, and
// that all are ShardErrors.
absl::Status JoinShardErrors(std::span<const absl::Status> errors);
// Says "WHERE does not support [KEY]".
absl::Status UnknownKey(std::string_view where, std::string_view key);
// resource_type: as Elasticsearch calls what the request names.
absl::Status IndexNotFound(std::string_view name,
                           std::string_view resource_type = "index_or_alias");
// An illegal_argument_exception (400).
absl::Status BadArgument(std::string_view reason);
// An action_request_validation_exception (400): the request lacks something, or has what does not
// go together.
absl::Status InvalidRequest(std::string_view what);

// True for what ShardError and IndexNotFound return, and for errors of the index itself.
bool IsOfOneSearch(const absl::Status& status);

int HttpStatusOf(const absl::Status& status);
// {"root_cause": [...], "type": .., "reason": .., ...}. Statuses that this file did not make get a
// type by their code.
nlohmann::ordered_json ErrorJson(const absl::Status& status);
// {"error": ErrorJson, "status": HttpStatusOf}
nlohmann::ordered_json ErrorBody(const absl::Status& status);

}  // namespace pmdex
