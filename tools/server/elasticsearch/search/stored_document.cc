#include "tools/server/elasticsearch/search/stored_document.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

struct ReadPlace {
  const Segment* segment = nullptr;
  DocId doc = 0;
  size_t number = 0;  // of the segment in the snapshot
};

absl::StatusOr<ReadPlace> FindPlace(const Snapshot& snapshot, uint64_t doc) {
  for (size_t i = snapshot.segments().size(); i-- > 0;) {
    if (snapshot.doc_base(i) > doc) continue;
    const Segment& segment = *snapshot.segments()[i];
    const uint64_t local = doc - snapshot.doc_base(i);
    if (local >= segment.doc_count()) break;
    return ReadPlace{&segment, static_cast<DocId>(local), i};
  }
  return DataLoss(absl::StrCat("document ", doc, " is in a segment that cannot be read"));
}

}  // namespace

absl::StatusOr<std::optional<std::string>> SourceOf(const Snapshot& snapshot, uint64_t doc,
                                                    LastStoredChunk& last) {
  PMDEX_ASSIGN_OR_RETURN(const ReadPlace place, FindPlace(snapshot, doc));
  auto source = place.segment->Checked(place.segment->OriginalRecord(place.doc, last));
  PMDEX_RETURN_IF_ERROR(place.segment->Health());
  return source;
}

absl::StatusOr<FieldTexts> TextsOf(const Snapshot& snapshot, uint64_t doc, FileText* files,
                                   LastStoredChunk& last) {
  PMDEX_ASSIGN_OR_RETURN(const ReadPlace place, FindPlace(snapshot, doc));
  PMDEX_ASSIGN_OR_RETURN(std::vector<StoredValue> values,
                         place.segment->Checked(place.segment->StoredText(place.doc, last)));
  PMDEX_RETURN_IF_ERROR(place.segment->Health());
  FieldTexts texts;
  for (StoredValue& value : values) {
    const std::string_view field = place.segment->fields()[value.field].name;
    texts[std::string(field)].push_back(std::move(value.text));
  }
  if (files == nullptr || !texts.empty() || snapshot.settings().store_text) return texts;
  PMDEX_ASSIGN_OR_RETURN(std::string text,
                         place.segment->Checked(files->Read(place.number, place.doc)));
  if (!text.empty()) texts[std::string(FileText::FieldName())].push_back(std::move(text));
  return texts;
}

absl::StatusOr<std::string> IdOf(const Snapshot& snapshot, uint64_t doc) {
  PMDEX_ASSIGN_OR_RETURN(const ReadPlace place, FindPlace(snapshot, doc));
  PMDEX_ASSIGN_OR_RETURN(std::string id, place.segment->Checked(place.segment->doc_id(place.doc)));
  PMDEX_RETURN_IF_ERROR(place.segment->Health());
  return id;
}

}  // namespace pmdex
