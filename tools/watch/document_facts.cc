#include "tools/watch/document_facts.h"

#include <algorithm>

#include "engine/columns/date_text.h"
#include "engine/ingest/build_options.h"
#include "query/files/file_text.h"

namespace pmdex {

DocumentFacts::DocumentFacts(const Manifest& manifest) {
  const auto property = manifest.properties.find(kFilesReadSinceProperty);
  if (property == manifest.properties.end()) return;
  const std::optional<DateText> since = ParseDateText(property->second);
  if (since.has_value()) read_since_ns_ = NarrowDate(since->first);
}

absl::StatusOr<KnownFile> DocumentFacts::Find(std::string_view id, const DocumentPlace& place) {
  if (!read_since_ns_.has_value()) return KnownFile{};
  PMDEX_RETURN_IF_ERROR(MoveTo(place.segment));
  EntryReader& entry = *entry_;
  const bool is_entry = entry.MoveTo(place.doc) && entry.path() == id;
  PMDEX_RETURN_IF_ERROR(segment_->Checked(entry.status()));
  if (!is_entry) return KnownFile{};
  for (const FileAttribute needed :
       {FileAttribute::kSize, FileAttribute::kMtime, FileAttribute::kCtime, FileAttribute::kInode,
        FileAttribute::kDevice}) {
    if (!entry.Has(needed)) return KnownFile{};
  }
  const auto number = [&entry](FileAttribute attribute) {
    return static_cast<uint64_t>(entry.number(attribute));
  };
  KnownFile known;
  known.facts = {number(FileAttribute::kSize), entry.number(FileAttribute::kMtime),
                 number(FileAttribute::kInode), number(FileAttribute::kDevice),
                 entry.number(FileAttribute::kCtime)};
  known.is_racy =
      std::max(known.facts.mtime_ns, known.facts.ctime_ns) > *read_since_ns_ - kRacyNanoseconds;
  const bool has_text = !text_lengths_.empty() && text_lengths_[place.doc] != 0;
  const bool lacks_text = entry.type() == 'f' && known.facts.size_bytes != 0 && !has_text;
  PMDEX_RETURN_IF_ERROR(segment_->Checked(entry.status()));
  return lacks_text ? KnownFile{} : known;
}

absl::Status DocumentFacts::MoveTo(const std::shared_ptr<const Segment>& segment) {
  if (segment == segment_) return absl::OkStatus();
  text_lengths_ = {};
  const std::optional<FieldId> body = segment->FindField(FileText::FieldName());
  if (body.has_value()) {
    PMDEX_ASSIGN_OR_RETURN(text_lengths_, segment->Checked(segment->norms(*body)));
  }
  entry_.reset();
  segment_ = segment;
  entry_.emplace(*segment_);
  return absl::OkStatus();
}

}  // namespace pmdex
