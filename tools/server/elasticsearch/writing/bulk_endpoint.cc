#include "tools/server/elasticsearch/writing/bulk_endpoint.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/writing/bulk_body.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace {

// Some operations of a bulk, all of one index, in their order.
struct BulkPart {
  std::vector<size_t> places;  // in the list of items
  std::vector<WriteOperation> operations;
};

// id: null if the operation has none.
Json FailureJson(const std::string& index, const Json& id, const absl::Status& status) {
  Json error = ErrorJson(status);
  error.erase("root_cause");
  return {{"_index", index},
          {"_id", id},
          {"status", HttpStatusOf(status)},
          {"error", std::move(error)}};
}

Json IdJson(const std::string& id) {
  return id.empty() ? Json() : Json(id);
}

// Writes the operations of one index and puts their answers in their places.
class PartWriter {
 public:
  PartWriter(WritableIndexes& writing, RefreshPolicy refresh, std::vector<Json>& answers)
      : writing_(writing), refresh_(refresh), answers_(answers) {}

  bool has_errors() const { return has_errors_; }

  void Refuse(const BulkItem& item, size_t place) {
    answers_[place] = FailureJson(item.index, item.operation.id, item.refusal);
    has_errors_ = true;
  }

  void Write(const std::string& name, const BulkPart& part) {
    const auto outcomes = Outcomes(name, part);
    for (size_t i = 0; i < part.places.size(); ++i) {
      Json& answer = answers_[part.places[i]];
      if (!outcomes.ok()) {
        answer = FailureJson(name, IdJson(part.operations[i].id), outcomes.status());
        has_errors_ = true;
        continue;
      }
      const WriteOutcome& outcome = (*outcomes)[i];
      if (outcome.failure.has_value()) {
        answer = FailureJson(name, IdJson(outcome.id), StatusOf(name, *outcome.failure));
        has_errors_ = true;
        continue;
      }
      answer = RawJson(OutcomeText(name, outcome, refresh_, /*has_status=*/true));
    }
  }

 private:
  absl::StatusOr<std::vector<WriteOutcome>> Outcomes(const std::string& name,
                                                     const BulkPart& part) {
    bool adds = false;
    for (const WriteOperation& operation : part.operations) {
      adds = adds || operation.kind != WriteKind::kDelete;
    }
    PMDEX_ASSIGN_OR_RETURN(const auto index,
                           adds ? writing_.FindOrCreate(name) : writing_.Find(name));
    return index->Write(part.operations, refresh_ != RefreshPolicy::kLater);
  }

  WritableIndexes& writing_;
  const RefreshPolicy refresh_;
  std::vector<Json>& answers_;
  bool has_errors_ = false;
};

}  // namespace

ApiAnswerOr AnswerBulk(const ApiCall& call) {
  const auto start = std::chrono::steady_clock::now();
  PMDEX_ASSIGN_OR_RETURN(const WriteParameters parameters, ReadWriteParameters(call.parameters));
  PMDEX_ASSIGN_OR_RETURN(std::vector<BulkItem> items,
                         ReadBulkBody(call.request.body, call.index, call.state.limits));
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  std::vector<Json> answers(items.size());
  PartWriter writer(*writing, parameters.refresh, answers);
  std::map<std::string, BulkPart> parts;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].refusal.ok()) {
      writer.Refuse(items[i], i);
      continue;
    }
    BulkPart& part = parts[items[i].index];
    part.places.push_back(i);
    part.operations.push_back(std::move(items[i].operation));
  }
  for (const auto& [name, part] : parts) writer.Write(name, part);
  writing->NoteWrites();
  Json list = Json::array();
  for (size_t i = 0; i < items.size(); ++i) {
    list.push_back({{items[i].action, std::move(answers[i])}});
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return ApiAnswer{
      200,
      {{"errors", writer.has_errors()}, {"took", took.count()}, {"items", std::move(list)}},
      {}};
}

}  // namespace pmdex
