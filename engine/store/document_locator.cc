#include "engine/store/document_locator.h"

#include <utility>

namespace pmdex {

absl::Status DocumentLocator::Follow(IndexWriter& writer) {
  std::map<uint64_t, Located> followed;
  for (const ManifestSegment& listed : writer.NextSegments()) {
    if (auto kept = segments_.extract(listed.id); !kept.empty()) {
      followed.insert(std::move(kept));
      continue;
    }
    PMDEX_ASSIGN_OR_RETURN(LiveSegment next, writer.OpenNext(listed));
    PMDEX_ASSIGN_OR_RETURN(DocumentIds ids,
                           DocumentIds::Build({{next.segment.get(), 0, next.live_docs.get()}}));
    followed.emplace(listed.id, Located{std::move(next.segment), std::move(ids), {}});
  }
  segments_ = std::move(followed);
  return absl::OkStatus();
}

absl::Status DocumentLocator::Take(
    std::string_view id, const std::function<void(uint64_t segment_id, DocId doc)>& visit) {
  for (auto& [segment_id, located] : segments_) {
    PMDEX_ASSIGN_OR_RETURN(const auto found, located.ids.FindAll(id));
    for (const uint64_t number : found) {
      const auto doc = static_cast<DocId>(number);
      if (located.deleted.insert(doc).second) visit(segment_id, doc);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<DocumentPlace>> DocumentLocator::FindOnly(std::string_view id) const {
  std::optional<DocumentPlace> only;
  for (const auto& [segment_id, located] : segments_) {
    PMDEX_ASSIGN_OR_RETURN(const auto found, located.ids.FindAll(id));
    for (const uint64_t number : found) {
      const auto doc = static_cast<DocId>(number);
      if (located.deleted.contains(doc)) continue;
      if (only.has_value()) return std::optional<DocumentPlace>();
      only = DocumentPlace{located.segment, doc};
    }
  }
  return only;
}

absl::Status DocumentLocator::ForEachId(
    const std::function<absl::Status(std::string_view id, const DocumentPlace* place)>& visit)
    const {
  std::string buffer;
  for (const auto& [segment_id, located] : segments_) {
    const Segment& segment = *located.segment;
    DocumentPlace place = {located.segment, 0};
    for (DocId& doc = place.doc; doc < segment.doc_count(); ++doc) {
      PMDEX_ASSIGN_OR_RETURN(const std::string_view id,
                             segment.Checked(segment.doc_id(doc, buffer)));
      PMDEX_ASSIGN_OR_RETURN(const auto latest, located.ids.Find(id));
      if (latest != doc || located.deleted.contains(doc)) continue;
      PMDEX_ASSIGN_OR_RETURN(const auto all, located.ids.FindAll(id));
      PMDEX_RETURN_IF_ERROR(visit(id, all.size() == 1 ? &place : nullptr));
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
