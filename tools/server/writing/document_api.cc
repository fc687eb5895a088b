#include "tools/server/writing/document_api.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/json_writer.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/http_error.h"

namespace pmdex {
namespace {

HttpResponse WrongMethod(const char* allowed) {
  HttpResponse response =
      ErrorResponse(405, std::string("the only method of this path is ") + allowed);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

HttpResponse ErrorOf(const absl::Status& status) {
  const int code = absl::IsUnavailable(status) ? 503 : HttpStatusOf(status);
  return ErrorResponse(code, Message(status));
}

// The documents of the lines, and the number of the line of each.
struct DocumentLines {
  std::vector<WriteOperation> operations;
  std::vector<uint64_t> lines;
};

DocumentLines ReadLines(std::string_view body) {
  DocumentLines read;
  for (uint64_t line = 1; !body.empty(); ++line) {
    const size_t end = body.find('\n');
    const std::string_view text = body.substr(0, end);
    body.remove_prefix(end == body.npos ? body.size() : end + 1);
    if (text.find_first_not_of(" \t\r") == text.npos) continue;
    WriteOperation& operation = read.operations.emplace_back();
    operation.source = std::string(text);
    operation.has_id_inside = true;
    read.lines.push_back(line);
  }
  return read;
}

std::string AnswerText(const DocumentLines& lines, const std::vector<WriteOutcome>& outcomes) {
  uint64_t added = 0;
  uint64_t replaced = 0;
  JsonWriter errors;
  errors.BeginArray();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const WriteOutcome& outcome = outcomes[i];
    if (!outcome.failure.has_value()) {
      ++(outcome.effect == WriteEffect::kCreated ? added : replaced);
      continue;
    }
    errors.BeginObject();
    errors.Key("line").Uint(lines.lines[i]);
    errors.Key("reason").String(outcome.failure->reason);
    errors.EndObject();
  }
  errors.EndArray();
  JsonWriter json;
  json.BeginObject();
  json.Key("added").Uint(added);
  json.Key("replaced").Uint(replaced);
  json.Key("errors").Raw(errors.result());
  json.EndObject();
  return json.result();
}

}  // namespace

ServeOutcome DocumentApi::Serve(HttpRequest request, std::string index, std::string id) const {
  const char* const method = id.empty() ? "POST" : "DELETE";
  if (request.method != method) return {WrongMethod(method), nullptr};
  if (writing_ == nullptr) return {ErrorResponse(403, "the server writes nothing"), nullptr};
  if (!request.parameters.empty()) {
    return {ErrorResponse(400, "'" + request.parameters[0].first + "' is no parameter here"),
            nullptr};
  }
  std::shared_ptr<const ReservedBytes> reserved = bytes_.Reserve(request.body.size());
  if (reserved == nullptr) {
    metrics_.CountEvent(ServerEvent::kShed);
    return {ErrorResponse(429, "too many bytes wait to be written"), nullptr};
  }
  ServeOutcome outcome;
  outcome.is_waiting_work = true;
  outcome.work = [this, request = std::make_shared<const HttpRequest>(std::move(request)), reserved,
                  index = std::move(index), id = std::move(id)] {
    return id.empty() ? Add(*request, index) : Delete(index, id);
  };
  return outcome;
}

HttpResponse DocumentApi::Add(const HttpRequest& request, const std::string& index) const {
  const DocumentLines lines = ReadLines(request.body);
  if (lines.operations.empty()) {
    return ErrorResponse(400, "the body has no documents (hint: one JSON object a line)");
  }
  const auto opened = writing_->FindOrCreate(index);
  if (!opened.ok()) return ErrorOf(opened.status());
  const auto outcomes = (*opened)->Write(lines.operations, /*refresh=*/true);
  if (!outcomes.ok()) return ErrorOf(outcomes.status());
  HttpResponse response;
  response.body = AnswerText(lines, *outcomes);
  return response;
}

HttpResponse DocumentApi::Delete(const std::string& index, const std::string& id) const {
  const auto opened = writing_->Find(index);
  if (!opened.ok()) return ErrorOf(opened.status());
  WriteOperation operation;
  operation.kind = WriteKind::kDelete;
  operation.id = id;
  const auto outcomes = (*opened)->Write({operation}, /*refresh=*/true);
  if (!outcomes.ok()) return ErrorOf(outcomes.status());
  const WriteOutcome& outcome = outcomes->front();
  if (outcome.failure.has_value()) {
    return ErrorResponse(outcome.failure->http_status, outcome.failure->reason);
  }
  if (outcome.effect == WriteEffect::kNotFound) {
    return ErrorResponse(404, "no document has the id '" + id + "'");
  }
  HttpResponse response;
  response.body = "{\"deleted\":1}";
  return response;
}

}  // namespace pmdex
