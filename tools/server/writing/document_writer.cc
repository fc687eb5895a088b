#include "tools/server/writing/document_writer.h"

#include <array>
#include <random>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/stored_document.h"
#include "tools/server/mapping/document_mapper.h"

namespace pmdex {
namespace {

std::string RandomId() {
  thread_local std::mt19937_64 random{std::random_device()()};
  std::array<uint64_t, 2> words = {random(), random()};
  return absl::WebSafeBase64Escape({reinterpret_cast<const char*>(words.data()), 15});
}

WriteOutcome Failure(std::string_view id, int status, std::string_view type, std::string reason) {
  WriteOutcome outcome;
  outcome.id = id;
  outcome.failure = WriteFailure{status, std::string(type), std::move(reason), nullptr};
  return outcome;
}

// status: an ApiError.
WriteOutcome Refusal(std::string_view id, const absl::Status& status) {
  const Json error = ErrorJson(status);
  WriteOutcome outcome = Failure(id, HttpStatusOf(status), error["type"].get<std::string>(),
                                 error["reason"].get<std::string>());
  if (error.contains("caused_by")) outcome.failure->caused_by = error["caused_by"];
  return outcome;
}

// Objects are merged; any other value takes the place of what is there.
void MergeInto(const Json& part, Json& document) {
  for (const auto& [key, value] : part.items()) {
    Json& place = document[key];
    if (value.is_object() && place.is_object()) {
      MergeInto(value, place);
    } else {
      place = value;
    }
  }
}

}  // namespace

PreparedDocument Prepare(const WriteOperation& operation, SourceReader& reader) {
  PreparedDocument prepared;
  if (operation.kind != WriteKind::kIndex && operation.kind != WriteKind::kCreate) return prepared;
  prepared.id = operation.id;
  if (operation.has_id_inside) {
    prepared.document = reader.ReadWithId(operation.source);
    if (prepared.document.ok()) prepared.id = prepared.document->id;
  }
  if (prepared.id.empty()) prepared.id = RandomId();
  if (!operation.has_id_inside) {
    prepared.document = reader.Read(prepared.id, operation.source);
  } else if (prepared.document.ok()) {
    prepared.document->id = prepared.id;
  }
  return prepared;
}

WriteOutcome DocumentWriter::Write(const WriteOperation& operation, PreparedDocument prepared) {
  switch (operation.kind) {
    case WriteKind::kIndex:
      return Add(operation, std::move(prepared), {false, operation.at});
    case WriteKind::kCreate:
      return Add(operation, std::move(prepared), {true, std::nullopt});
    case WriteKind::kUpdate:
      return Update(operation);
    case WriteKind::kDelete:
      break;
  }
  return Delete(operation);
}

WriteFailure DocumentWriter::Conflict(std::string_view id, const WriteOperation& operation) {
  const std::string what = absl::StrCat("[", ToAbsl(id), "]: version conflict, ");
  const auto conflict = [&](std::string_view why) {
    return WriteFailure{409, "version_conflict_engine_exception", absl::StrCat(what, ToAbsl(why)),
                        nullptr};
  };
  if (!operation.at.has_value()) {
    return conflict(
        absl::StrCat("document already exists (current version [", versions_.Of(id), "])"));
  }
  const std::string required = absl::StrCat("required seqNo [", operation.at->number,
                                            "], primary term [", operation.at->term, "]");
  const auto found = index_.FindDocument(id);
  if (!found.ok() || !found->has_value()) {
    return conflict(required + ". but no document was found");
  }
  return conflict(absl::StrCat(required, ". current document has seqNo [",
                               (*found)->sequence.number, "] and primary term [",
                               (*found)->sequence.term, "]"));
}

WriteOutcome DocumentWriter::Failed(std::string_view id, const WriteOperation& operation,
                                    const absl::Status& status) {
  if (absl::IsAlreadyExists(status) || absl::IsAborted(status)) {
    WriteOutcome outcome;
    outcome.id = id;
    outcome.failure = Conflict(id, operation);
    return outcome;
  }
  std::string message(Message(status));
  if (absl::IsInvalidArgument(status)) {
    return Failure(id, 400, "illegal_argument_exception", std::move(message));
  }
  if (absl::IsResourceExhausted(status)) {
    return Failure(id, 503, "unavailable_shards_exception", std::move(message));
  }
  return Failure(id, 500, "exception", std::move(message));
}

absl::StatusOr<AddedDocument> DocumentWriter::Map(SourceDocument source) {
  PMDEX_ASSIGN_OR_RETURN(MappedDocument mapped,
                         MapDocument(std::move(source), definition_->fields()));
  if (mapped.changed.has_value()) {
    auto next = std::make_shared<IndexDefinition>(*definition_);
    next->SetFields(*std::move(mapped.changed));
    // The fields are durable no later than the document.
    PMDEX_ASSIGN_OR_RETURN(std::string text, next->TextToKeep());
    index_.SetProperty(kDefinitionProperty, std::move(text));
    definition_ = std::move(next);
  }
  return std::move(mapped.document);
}

WriteOutcome DocumentWriter::Add(const WriteOperation& operation, PreparedDocument prepared,
                                 const WriteCondition& condition) {
  const std::string& id = prepared.id;
  if (!prepared.document.ok()) {
    if (!absl::IsInvalidArgument(prepared.document.status())) {
      return Failed(id, operation, prepared.document.status());
    }
    return Failure(id, 400, "document_parsing_exception",
                   absl::StrCat("failed to parse: ", ToAbsl(Message(prepared.document.status()))));
  }
  absl::StatusOr<AddedDocument> document = Map(*std::move(prepared.document));
  if (!document.ok()) return Refusal(id, document.status());
  const auto result = index_.Put(*std::move(document), condition);
  if (!result.ok()) return Failed(id, operation, result.status());
  WriteOutcome outcome;
  outcome.effect = result->removed > 0 ? WriteEffect::kUpdated : WriteEffect::kCreated;
  outcome.version = versions_.Next(id, result->removed > 0);
  outcome.sequence = result->sequence;
  outcome.id = std::move(prepared.id);
  return outcome;
}

WriteOutcome DocumentWriter::Update(const WriteOperation& operation) {
  const auto found = index_.FindDocument(operation.id);
  if (!found.ok()) return Failed(operation.id, operation, found.status());
  if (!found->has_value()) return Upsert(operation);
  if (operation.at.has_value() && *operation.at != (*found)->sequence) {
    return Failed(operation.id, operation, absl::AbortedError(""));
  }
  return UpdateFound(operation, **found);
}

WriteOutcome DocumentWriter::Upsert(const WriteOperation& operation) {
  const bool is_possible = operation.is_upsert || operation.upsert.has_value();
  if (!is_possible || operation.at.has_value()) {
    return Failure(operation.id, 404, "document_missing_exception",
                   absl::StrCat("[", operation.id, "]: document missing"));
  }
  WriteOperation create;
  create.kind = WriteKind::kCreate;
  create.id = operation.id;
  create.source = ToJsonText(operation.is_upsert ? operation.part : *operation.upsert);
  return Write(create, Prepare(create, reader_));
}

WriteOutcome DocumentWriter::UpdateFound(const WriteOperation& operation,
                                         const FoundDocument& found) {
  LastStoredChunk last;
  const auto text = SourceOf(*found.snapshot, found.doc, last);
  if (!text.ok()) return Failed(operation.id, operation, text.status());
  const Json before = Json::parse(text->value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!before.is_object()) {
    return Failure(operation.id, 400, "document_source_missing_exception",
                   absl::StrCat("[", operation.id, "]: document source missing"));
  }
  Json after = before;
  MergeInto(operation.part, after);
  if (operation.detects_noop && after == before) {
    WriteOutcome outcome;
    outcome.id = operation.id;
    outcome.effect = WriteEffect::kNoop;
    outcome.version = versions_.Of(operation.id);
    outcome.sequence = found.sequence;
    return outcome;
  }
  WriteOperation index;
  index.id = operation.id;
  index.source = ToJsonText(after);
  return Write(index, Prepare(index, reader_));
}

WriteOutcome DocumentWriter::Delete(const WriteOperation& operation) {
  const auto result = index_.Delete(operation.id, {false, operation.at});
  if (!result.ok()) return Failed(operation.id, operation, result.status());
  WriteOutcome outcome;
  outcome.id = operation.id;
  outcome.effect = result->removed > 0 ? WriteEffect::kDeleted : WriteEffect::kNotFound;
  outcome.version = versions_.Next(operation.id, result->removed > 0);
  outcome.sequence = result->sequence;
  return outcome;
}

}  // namespace pmdex
