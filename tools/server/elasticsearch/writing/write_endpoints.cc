#include "tools/server/elasticsearch/writing/write_endpoints.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace {

absl::Status ReadCondition(const ApiCall& call, WriteOperation& operation) {
  PMDEX_ASSIGN_OR_RETURN(const auto number, call.parameters.Integer("if_seq_no"));
  PMDEX_ASSIGN_OR_RETURN(const auto term, call.parameters.Integer("if_primary_term"));
  PMDEX_ASSIGN_OR_RETURN(operation.at, ConditionOf(number, term));
  return absl::OkStatus();
}

ApiAnswerOr Carry(const ApiCall& call, WriteOperation operation, bool creates_index) {
  PMDEX_ASSIGN_OR_RETURN(const WriteParameters parameters, ReadWriteParameters(call.parameters));
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  PMDEX_ASSIGN_OR_RETURN(const auto index, creates_index ? writing->FindOrCreate(call.index)
                                                         : writing->Find(call.index));
  std::vector<WriteOperation> operations;
  operations.push_back(std::move(operation));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<WriteOutcome> outcomes,
                         index->Write(operations, parameters.needs_refresh()));
  writing->NoteWrites();
  const WriteOutcome& outcome = outcomes.front();
  if (outcome.failure.has_value()) return StatusOf(call.index, *outcome.failure);
  const std::string text =
      OutcomeText(call.index, outcome, parameters.refresh, /*has_status=*/false);
  return ApiAnswer{HttpStatusOf(outcome), RawJson(text), {}};
}

}  // namespace

ApiAnswerOr AnswerIndexDocument(const ApiCall& call) {
  if (call.request.body.empty()) {
    return ApiError(400, "parse_exception", "request body is required");
  }
  WriteOperation operation;
  const bool is_create = call.endpoint.kind == EndpointKind::kCreateDocument;
  const bool has_id = call.endpoint.path.ends_with("{id}");
  // As in a real node, a document whose id is made is created, so that it takes no condition.
  const std::string_view type =
      is_create ? "create" : call.parameters.Text("op_type").value_or(has_id ? "index" : "create");
  if (type != "index" && type != "create") {
    return BadArgument(
        absl::StrCat("opType must be 'create' or 'index', found: [", ToAbsl(type), "]"));
  }
  operation.kind = type == "create" ? WriteKind::kCreate : WriteKind::kIndex;
  if (has_id) PMDEX_RETURN_IF_ERROR(CheckDocumentId(call.id));
  operation.id = std::string(call.id);
  operation.source = call.request.body;
  PMDEX_RETURN_IF_ERROR(ReadCondition(call, operation));
  if (operation.at.has_value() && operation.kind == WriteKind::kCreate) {
    return InvalidRequest("create operations do not support compare and set. use index instead");
  }
  return Carry(call, std::move(operation), /*creates_index=*/true);
}

ApiAnswerOr AnswerUpdateDocument(const ApiCall& call) {
  if (!call.body.is_object()) return ApiError(400, "parse_exception", "request body is required");
  WriteOperation operation;
  operation.kind = WriteKind::kUpdate;
  PMDEX_RETURN_IF_ERROR(CheckDocumentId(call.id));
  operation.id = std::string(call.id);
  PMDEX_RETURN_IF_ERROR(ReadUpdate(call.body, operation));
  PMDEX_RETURN_IF_ERROR(ReadCondition(call, operation));
  // Operations on an index do not overlap, so that an update never meets another one.
  PMDEX_RETURN_IF_ERROR(call.parameters.Integer("retry_on_conflict").status());
  return Carry(call, std::move(operation), /*creates_index=*/true);
}

ApiAnswerOr AnswerDeleteDocument(const ApiCall& call) {
  WriteOperation operation;
  operation.kind = WriteKind::kDelete;
  operation.id = std::string(call.id);
  PMDEX_RETURN_IF_ERROR(ReadCondition(call, operation));
  PMDEX_ASSIGN_OR_RETURN(ApiAnswer answer,
                         Carry(call, std::move(operation), /*creates_index=*/false));
  return answer;
}

}  // namespace pmdex
