#include "tools/server/elasticsearch/api_error.h"

#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kPayload[] = "pmdex/elasticsearch-error";

// The payload is {"status": .., "error": {..}}.
absl::Status WithPayload(int http_status, Json error) {
  const std::string reason = error.value("reason", "");
  absl::Status status = InvalidArgument(reason);
  const Json payload = {{"status", http_status}, {"error", std::move(error)}};
  status.SetPayload(kPayload,
                    absl::Cord(payload.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return status;
}

std::optional<Json> PayloadOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  return Json::parse(std::string(*payload));
}

Json WithRootCause(const Json& cause) {
  Json error = {{"root_cause", Json::array({cause})}};
  error.update(cause);
  return error;
}

int StatusOfCode(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kOutOfRange:
      return 429;
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

std::string_view TypeOfCode(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return "illegal_argument_exception";
    case absl::StatusCode::kNotFound:
      return "resource_not_found_exception";
    case absl::StatusCode::kResourceExhausted:
      return "rejected_execution_exception";
    case absl::StatusCode::kOutOfRange:
      return "circuit_breaking_exception";
    case absl::StatusCode::kDeadlineExceeded:
      return "timeout_exception";
    case absl::StatusCode::kUnavailable:
      return "unavailable_shards_exception";
    default:
      return "exception";
  }
}

}  // namespace

absl::Status ApiError(int http_status, std::string_view type, std::string_view reason,
                      const Json& more) {
  Json cause = {{"type", type}, {"reason", reason}};
  if (more.is_object()) cause.update(more);
  return WithPayload(http_status, WithRootCause(cause));
}

absl::Status ShardError(std::string_view type, std::string_view reason, std::string_view index,
                        int http_status) {
  const Json cause = {{"type", type}, {"reason", reason}, {"index", index}};
  Json error = {{"root_cause", Json::array({cause})},
                {"type", "search_phase_execution_exception"},
                {"reason", "all shards failed"},
                {"phase", "query"},
                {"grouped", true}};
  error["failed_shards"] =
      Json::array({{{"shard", 0}, {"index", index}, {"node", "pmdex"}, {"reason", cause}}});
  return WithPayload(http_status, std::move(error));
}

bool IsShardError(const absl::Status& status) {
  const std::optional<Json> payload = PayloadOf(status);
  return payload.has_value() && (*payload)["error"].contains("failed_shards");
}

Json FailedShards(const absl::Status& status) {
  return (*PayloadOf(status))["error"]["failed_shards"];
}

absl::Status JoinShardErrors(std::span<const absl::Status> errors) {
  Json joined = (*PayloadOf(errors[0]))["error"];
  for (const absl::Status& error : errors.subspan(1)) {
    const Json other = (*PayloadOf(error))["error"];
    for (const char* key : {"root_cause", "failed_shards"}) {
      joined[key].insert(joined[key].end(), other[key].begin(), other[key].end());
    }
  }
  return WithPayload(HttpStatusOf(errors[0]), std::move(joined));
}

absl::Status UnknownKey(std::string_view where, std::string_view key) {
  return ApiError(400, "parsing_exception",
                  absl::StrCat(ToAbsl(where), " does not support [", ToAbsl(key), "]"));
}

absl::Status IndexNotFound(std::string_view name, std::string_view resource_type) {
  return ApiError(404, "index_not_found_exception",
                  absl::StrCat("no such index [", ToAbsl(name), "]"),
                  {{"index", name},
                   {"resource.id", name},
                   {"resource.type", resource_type},
                   {"index_uuid", "_na_"}});
}

absl::Status BadArgument(std::string_view reason) {
  return ApiError(400, "illegal_argument_exception", reason);
}

absl::Status InvalidRequest(std::string_view what) {
  return ApiError(400, "action_request_validation_exception",
                  absl::StrCat("Validation Failed: 1: ", ToAbsl(what), ";"));
}

bool IsOfOneSearch(const absl::Status& status) {
  const std::optional<Json> payload = PayloadOf(status);
  if (!payload.has_value()) return true;
  const std::string type = (*payload)["error"]["type"];
  return type == "search_phase_execution_exception" || type == "index_not_found_exception";
}

int HttpStatusOf(const absl::Status& status) {
  if (const auto payload = PayloadOf(status)) return (*payload)["status"];
  return StatusOfCode(status.code());
}

Json ErrorJson(const absl::Status& status) {
  if (const auto payload = PayloadOf(status)) return (*payload)["error"];
  return WithRootCause({{"type", TypeOfCode(status.code())}, {"reason", Message(status)}});
}

Json ErrorBody(const absl::Status& status) {
  return {{"error", ErrorJson(status)}, {"status", HttpStatusOf(status)}};
}

}  // namespace pmdex
