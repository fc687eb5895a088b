#include "tools/server/elasticsearch/writing/write_answers.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/memtable/memtable_options.h"
#include "pmem/text.h"
#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

constexpr size_t kMostIdBytes = 512;  // as in Elasticsearch
constexpr int64_t kUnassigned = -2;   // a sequence that is not given

std::string_view NameOf(WriteEffect effect) {
  switch (effect) {
    case WriteEffect::kCreated:
      return "created";
    case WriteEffect::kUpdated:
      return "updated";
    case WriteEffect::kDeleted:
      return "deleted";
    case WriteEffect::kNotFound:
      return "not_found";
    case WriteEffect::kNoop:
      break;
  }
  return "noop";
}

}  // namespace

absl::StatusOr<WriteParameters> ReadWriteParameters(const Parameters& parameters) {
  WriteParameters read;
  const std::string_view refresh = parameters.Text("refresh").value_or("false");
  if (refresh == "wait_for") {
    read.refresh = RefreshPolicy::kWait;
  } else if (refresh.empty() || refresh == "true") {
    read.refresh = RefreshPolicy::kNow;
  } else if (refresh != "false") {
    return BadArgument(absl::StrCat("Unknown value for refresh: [", ToAbsl(refresh), "]."));
  }
  PMDEX_RETURN_IF_ERROR(parameters.Time("timeout").status());
  // There is one copy of each index, and it is always active.
  const std::string_view shards = parameters.Text("wait_for_active_shards").value_or("1");
  if (shards != "0" && shards != "1" && shards != "all") {
    return BadArgument(
        absl::StrCat("cannot wait for [", ToAbsl(shards), "] active shards: an index has one"));
  }
  return read;
}

absl::StatusOr<WritableIndexes*> WritingOf(const ApiCall& call) {
  if (call.state.writing != nullptr) return call.state.writing;
  return ApiError(403, "cluster_block_exception",
                  "blocked by: [FORBIDDEN/5/index read-only (api)]");
}

absl::StatusOr<std::optional<WriteSequence>> ConditionOf(std::optional<int64_t> if_seq_no,
                                                         std::optional<int64_t> if_primary_term) {
  const int64_t number = if_seq_no.value_or(kUnassigned);
  const int64_t term = if_primary_term.value_or(0);
  if (number < 0 && number != kUnassigned) {
    return BadArgument(absl::StrCat("sequence numbers must be non negative. got [", number, "]."));
  }
  if (term < 0)
    return BadArgument(absl::StrCat("primary term must be non negative. got [", term, "]"));
  if (number == kUnassigned && term == 0) return std::optional<WriteSequence>();
  if (number == kUnassigned) {
    return InvalidRequest(absl::StrCat("ifSeqNo is unassigned, but primary term is [", term, "]"));
  }
  if (term == 0) return InvalidRequest("ifSeqNo is set, but primary term is [0]");
  return std::optional<WriteSequence>(
      WriteSequence{static_cast<uint64_t>(term), static_cast<uint64_t>(number)});
}

absl::Status CheckDocumentId(std::string_view id) {
  if (id.empty()) return InvalidRequest(kEmptyIdReason);
  if (id.size() <= kMostIdBytes) return absl::OkStatus();
  return InvalidRequest(absl::StrCat("id [", ToAbsl(id), "] is too long, must be no longer than ",
                                     kMostIdBytes, " bytes but was: ", id.size()));
}

absl::Status ReadUpdate(const Json& body, WriteOperation& operation) {
  for (const char* key : {"doc", "upsert"}) {
    if (!body.contains(key) || body[key].is_object()) continue;
    return ApiError(400, "x_content_parse_exception",
                    absl::StrCat("[UpdateRequest] ", key,
                                 " doesn't support values of type: ", body[key].type_name()));
  }
  if (body.contains("upsert")) operation.upsert = body["upsert"];
  if (body.contains("doc_as_upsert")) {
    PMDEX_ASSIGN_OR_RETURN(operation.is_upsert, JsonSwitch("doc_as_upsert", body["doc_as_upsert"]));
  }
  if (body.contains("detect_noop")) {
    PMDEX_ASSIGN_OR_RETURN(operation.detects_noop, JsonSwitch("detect_noop", body["detect_noop"]));
  }
  if (!body.contains("doc")) {
    return InvalidRequest(operation.is_upsert ? "doc must be specified if doc_as_upsert is enabled"
                                              : "script or doc is missing");
  }
  operation.part = body["doc"];
  return absl::OkStatus();
}

int HttpStatusOf(const WriteOutcome& outcome) {
  if (outcome.failure.has_value()) return outcome.failure->http_status;
  if (outcome.effect == WriteEffect::kCreated) return 201;
  return outcome.effect == WriteEffect::kNotFound ? 404 : 200;
}

std::string OutcomeText(std::string_view index, const WriteOutcome& outcome, RefreshPolicy refresh,
                        bool has_status) {
  const bool is_written = outcome.effect != WriteEffect::kNoop;
  const uint64_t shards = is_written ? 1 : 0;
  JsonWriter json;
  json.BeginObject();
  json.Key("_index").String(index).Key("_id").Name(outcome.id);
  json.Key("_version").Uint(outcome.version).Key("result").String(NameOf(outcome.effect));
  if (is_written && refresh == RefreshPolicy::kNow) json.Key("forced_refresh").Bool(true);
  json.Key("_shards").BeginObject();
  json.Key("total").Uint(shards).Key("successful").Uint(shards).Key("failed").Uint(0).EndObject();
  json.Key("_seq_no").Uint(outcome.sequence.number);
  json.Key("_primary_term").Uint(outcome.sequence.term);
  if (has_status) json.Key("status").Int(HttpStatusOf(outcome));
  json.EndObject();
  return json.TakeText();
}

absl::Status StatusOf(std::string_view index, const WriteFailure& failure) {
  Json more = nullptr;
  if (failure.http_status == 409 || failure.http_status == 404) {
    more = {{"index_uuid", "_na_"}, {"shard", "0"}, {"index", index}};
  }
  if (failure.caused_by.is_object()) more = {{"caused_by", failure.caused_by}};
  return ApiError(failure.http_status, failure.type, failure.reason, more);
}

}  // namespace pmdex
