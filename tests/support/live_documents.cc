#include "tests/support/live_documents.h"

#include <optional>
#include <utility>
#include <vector>

namespace pmdex {
namespace {

absl::Status AddLiveDocument(const Segment& segment, DocId doc,
                             std::map<std::string, std::string>& live) {
  const std::optional<FieldId> path = segment.FindField("path");
  PMDEX_ASSIGN_OR_RETURN(const std::string id, segment.doc_id(doc));
  PMDEX_ASSIGN_OR_RETURN(const std::vector<StoredValue> stored, segment.StoredText(doc));
  std::string text;
  for (const StoredValue& value : stored) {
    if (value.field != path) text += value.text;
  }
  if (live.emplace(id, std::move(text)).second) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kAlreadyExists, "two live documents: " + std::string(id));
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> ReadLiveDocuments(const Snapshot& snapshot) {
  if (!snapshot.quarantined().empty()) return snapshot.quarantined().front().reason;
  std::map<std::string, std::string> live;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!IsLive(snapshot.live_docs(i), doc)) continue;
      PMDEX_RETURN_IF_ERROR(AddLiveDocument(segment, doc, live));
    }
    PMDEX_RETURN_IF_ERROR(segment.Health());
  }
  if (snapshot.live_doc_count() != live.size()) return DataLoss("live documents are miscounted");
  return live;
}

absl::StatusOr<std::map<std::string, std::string>> ReadLiveDocuments(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory));
  return ReadLiveDocuments(*snapshot);
}

}  // namespace pmdex
