// What the endpoints that write have in common: their parameters, and operations and outcomes
// (tools/server/writing/write_operation.h) in Elasticsearch's form. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/live/write_condition.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/api_call.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/writing/writable_indexes.h"
#include "tools/server/writing/write_operation.h"

namespace pmdex {

enum class RefreshPolicy { kLater, kNow, kWait };  // refresh=false, true and wait_for

struct WriteParameters {
  RefreshPolicy refresh = RefreshPolicy::kLater;
  bool needs_refresh() const { return refresh != RefreshPolicy::kLater; }
};
// Reads and checks refresh, timeout and wait_for_active_shards.
absl::StatusOr<WriteParameters> ReadWriteParameters(const Parameters& parameters);

// The indexes that may be written; an ApiError (403) if the server writes nothing.
absl::StatusOr<WritableIndexes*> WritingOf(const ApiCall& call);

// The condition that both numbers make, or none. An ApiError if only one of them is given, or one
// is negative.
absl::StatusOr<std::optional<WriteSequence>> ConditionOf(std::optional<int64_t> if_seq_no,
                                                         std::optional<int64_t> if_primary_term);
// What an error says of an id that is given and empty.
inline constexpr std::string_view kEmptyIdReason = "if _id is specified it must not be empty";
// An ApiError for an id that is empty or too long.
absl::Status CheckDocumentId(std::string_view id);
// Reads the body of an update: kUpdateKeys. An ApiError where it is no such body.
absl::Status ReadUpdate(const Json& body, WriteOperation& operation);

int HttpStatusOf(const WriteOutcome& outcome);
// {"_index", "_id", "_version", "result", ...} of an outcome that is no failure, as text, because a
// tree for each of many outcomes takes long. has_status: with {"status"} at the end.
std::string OutcomeText(std::string_view index, const WriteOutcome& outcome, RefreshPolicy refresh,
                        bool has_status);
// The failure as an ApiError.
absl::Status StatusOf(std::string_view index, const WriteFailure& failure);

}  // namespace pmdex
