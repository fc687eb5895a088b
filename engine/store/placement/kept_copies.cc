// How an IndexWriter keeps compressed copies of uncompressed segments, opens them in the place of
// damaged segments, and rebuilds segments from them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/index_writer.h"
#include "pmem/text.h"

namespace pmdex {

// Lists a segment in the place of another one with the same documents. They keep their docids, so
// the new file has the same live documents, and Publish writes them beside it. The copy follows its
// segment, unless the segment is compressed itself now.
void IndexWriter::Replace(ManifestSegment& listed, ManifestSegment& replacement,
                          std::shared_ptr<const LiveDocs> live_docs) {
  const uint64_t old_id = listed.id;
  deletions_.Move(old_id, replacement, std::move(live_docs));
  listed = replacement;
  converted_.push_back(replacement);
  if (replacement.tier == Tier::kCompressed) {
    DropCopies({old_id});
  } else {
    for (KeptCopy& copy : next_.copies) {
      if (copy.of == old_id) copy.of = replacement.id;
    }
  }
  ChoosePlaces();
}

void IndexWriter::DropCopies(const std::set<uint64_t>& segment_ids) {
  std::erase_if(next_.copies, [&](const KeptCopy& copy) { return segment_ids.contains(copy.of); });
}

void IndexWriter::KeepCopies(bool keep) {
  if (keep) {
    next_.properties[kKeepCopiesProperty] = "yes";
  } else {
    next_.properties.erase(kKeepCopiesProperty);
    next_.copies.clear();
  }
}

absl::Status IndexWriter::Publish() {
  missing_copies_ = absl::OkStatus();
  PMDEX_RETURN_IF_ERROR(PublishSegments());
  if (!next_.properties.contains(kKeepCopiesProperty)) return absl::OkStatus();
  const absl::Status copied = PublishCopies();
  if (!copied.ok()) {
    missing_copies_ =
        MakeStatus(copied.code(),
                   absl::StrCat("the index is published, but copies of its segments are missing: ",
                                ToAbsl(Message(copied))));
  }
  return absl::OkStatus();
}

// Copies that could be written are published even if others could not be.
absl::Status IndexWriter::PublishCopies() {
  absl::Status written = WriteCopies();
  const size_t count = next_.copies.size();
  if (count == manifest_.copies.size()) return written;
  if (absl::Status published = PublishSegments(); !published.ok()) {
    // Only those are left in converted_ that no manifest may list.
    for (const ManifestSegment& copy : converted_) RemoveFile(copy);
    converted_.clear();
    next_ = manifest_;
    deletions_.Clear();
    return published;
  }
  if (written.ok() && next_.copies.size() < count) {
    return MakeStatus(absl::StatusCode::kUnavailable, "their live documents could not be written");
  }
  return written;
}

absl::Status IndexWriter::WriteCopies() {
  const std::optional<uint32_t> place = places_.CompressedPlace();
  absl::Status first_error;
  for (const ManifestSegment& segment : next_.segments) {
    if (segment.tier != Tier::kUncompressed || next_.CopyOf(segment.id) != nullptr) continue;
    if (!place.has_value()) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat("the place of compressed segments of the index in ",
                                     directory_.path(), " is absent"));
    }
    const absl::Status written = WriteCopyOf(segment, *place);
    if (first_error.ok()) first_error = written;
    if (absl::IsResourceExhausted(written)) break;  // there is no space for the others either
  }
  return first_error;
}

absl::Status IndexWriter::WriteCopyOf(const ManifestSegment& segment, uint32_t place) {
  PMDEX_ASSIGN_OR_RETURN(const Directory* from, FindPlaceOf(segment));
  PMDEX_ASSIGN_OR_RETURN(auto live_docs, deletions_.Find(*from, segment));
  PMDEX_ASSIGN_OR_RETURN(ManifestSegment file, ConvertTo(segment, Tier::kCompressed, place));
  deletions_.Give(file, std::move(live_docs));
  converted_.push_back(file);
  next_.copies.push_back({segment.id, file});
  return absl::OkStatus();
}

absl::StatusOr<LiveSegment> IndexWriter::OpenNext(const ManifestSegment& listed) {
  auto opened = OpenFile(listed);
  const KeptCopy* const copy = next_.CopyOf(listed.id);
  const bool is_of_the_file = !opened.ok() && !absl::IsResourceExhausted(opened.status()) &&
                              !absl::IsUnimplemented(opened.status());
  if (!is_of_the_file || copy == nullptr) return opened;
  auto answering = OpenFile(copy->file);
  if (!answering.ok() || answering->segment->doc_count() != listed.doc_count) return opened;
  answering->listed_id = listed.id;
  // Deletions that are not published yet are those of the segment.
  if (auto changed = deletions_.Changed(listed.id); changed != nullptr) {
    answering->live_docs = std::move(changed);
  }
  return answering;
}

absl::StatusOr<ManifestSegment> IndexWriter::Rebuild(uint64_t segment_id) {
  const auto listed = std::find_if(
      next_.segments.begin(), next_.segments.end(),
      [segment_id](const ManifestSegment& segment) { return segment.id == segment_id; });
  const KeptCopy* const copy = next_.CopyOf(segment_id);
  if (listed == next_.segments.end() || copy == nullptr) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat("the index in ", directory_.path(), " has no copy of segment ",
                                   SegmentFileName(segment_id)));
  }
  const std::vector<uint32_t> order = choice_.Order();
  if (order.empty()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the places for uncompressed segments are absent (hint: mount them)");
  }
  PMDEX_ASSIGN_OR_RETURN(const Directory* from, FindPlaceOf(copy->file));
  auto live_docs = deletions_.Changed(segment_id);
  if (live_docs == nullptr) {
    PMDEX_ASSIGN_OR_RETURN(live_docs, deletions_.Find(*from, copy->file));
  }
  PMDEX_ASSIGN_OR_RETURN(ManifestSegment rebuilt,
                         ConvertTo(copy->file, Tier::kUncompressed, order.front()));
  rebuilt.created_s = listed->created_s;
  rebuilt.heat = listed->heat;
  Replace(*listed, rebuilt, std::move(live_docs));
  return *listed;
}

}  // namespace pmdex
