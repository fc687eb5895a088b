// How a LiveIndex writes its documents to the medium and publishes them.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include "engine/live/live_index.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

absl::flat_hash_set<uint64_t> IdsOf(std::span<const ManifestSegment> segments) {
  absl::flat_hash_set<uint64_t> ids;
  for (const ManifestSegment& segment : segments) ids.insert(segment.id);
  return ids;
}

}  // namespace

// The documents that the next segment on the medium takes.
struct LiveIndex::Cut {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t until = 0;                           // the writes below it add documents before end only
  std::unique_ptr<DramMemtable> gathered;       // of exactly these documents, or nullptr
  std::vector<AddedDocumentPointer> documents;  // if there is no memtable of them
};

LiveIndex::Cut LiveIndex::TakeCut() {
  Cut cut;
  MutexLock adding(&add_mutex_);
  MutexLock lock(&mutex_);
  cut.begin = written_;
  cut.end = documents_.end();
  cut.until = next_;
  barrier_ = cut.end;
  barrier_write_ = cut.until;
  if (gathered_begin_ == cut.begin) {
    cut.gathered = std::move(gathered_);
  } else {  // the segment with the other documents could not be written
    cut.documents = documents_.Range(cut.begin, cut.end);
  }
  gathered_.reset();
  gathered_begin_ = cut.end;
  return cut;
}

absl::StatusOr<uint64_t> LiveIndex::WriteDocuments() {
  if (writer_ == nullptr) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "writing to the index has ended");
  }
  // If the segment before could not be opened, its documents are not to be written again.
  if (!unopened_.has_value()) {
    Cut cut = TakeCut();
    if (cut.begin == cut.end) return cut.until;
    if (cut.gathered == nullptr) cut.gathered = builder_.NewMemtableOf(cut.documents);
    PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, (*cut.gathered)->Freeze());
    PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer_->WriteSegment(*input));
    unopened_ = UnopenedSegment{info.segment_id, cut.end, cut.until};
  }
  const std::vector<ManifestSegment> listed = writer_->NextSegments();
  PMDEX_CHECK(listed.back().id == unopened_->segment_id);  // this thread wrote the last one
  PMDEX_ASSIGN_OR_RETURN(LiveSegment opened, writer_->OpenNext(listed.back()));
  const UnopenedSegment written = *unopened_;
  unopened_.reset();
  MutexLock lock(&mutex_);
  shown_ = std::max(shown_, written.until);
  auto sequences =
      std::make_shared<const std::vector<uint64_t>>(documents_.SequencesOf(written_, written.end));
  medium_.Append({written_, written.segment_id, std::move(opened.segment),
                  documents_.LiveDocsOf(written_, written.end, shown_), std::move(sequences)});
  written_ = written.end;
  frozen_ = std::max(frozen_, written_);
  dram_.DropBefore(written_);
  documents_.DropBefore(written_);
  gathered_bytes_ = 0;  // until the next Add
  has_readers_ = false;
  UpdateSnapshot(shown_);
  return written.until;
}

absl::Status LiveIndex::WriteDeletions(uint64_t until) {
  std::vector<uint64_t> deleted;
  std::vector<MediumSegment> segments;
  {
    MutexLock lock(&mutex_);
    deleted = deletions_.Before(until);
    if (deleted.empty()) return absl::OkStatus();
    segments.assign(medium_.segments().begin(), medium_.segments().end());
  }
  const absl::flat_hash_set<uint64_t> listed = IdsOf(writer_->NextSegments());
  for (const MediumSegment& written : segments) {
    const std::vector<DocId> docs = DocsOf(deleted, written.begin, written.segment->doc_count());
    // A segment that is gone had no live documents.
    if (docs.empty() || !listed.contains(written.listed_id)) continue;
    PMDEX_RETURN_IF_ERROR(writer_->Delete(written.listed_id, docs).status());
  }
  return absl::OkStatus();
}

void LiveIndex::ForgetPublished(uint64_t until) {
  const absl::flat_hash_set<uint64_t> listed = IdsOf(writer_->published().segments);
  MutexLock lock(&mutex_);
  if (shown_ < until) UpdateSnapshot(until);  // there were deletions only
  deletions_.ForgetBefore(until);
  // Segments without live documents are not in the index any more.
  if (medium_.KeepOnly([&](uint64_t id) { return listed.contains(id); })) UpdateSnapshot(shown_);
}

void LiveIndex::SetProperty(const std::string& name, std::string value) {
  MutexLock adding(&add_mutex_);
  properties_.insert_or_assign(name, std::move(value));
}

bool LiveIndex::HasNewProperties() {
  MutexLock adding(&add_mutex_);
  return !properties_.empty();
}

void LiveIndex::TakeFieldsAndProperties() {
  MutexLock adding(&add_mutex_);
  writer_->SetFields(fields_);
  for (auto& [name, value] : properties_) writer_->SetProperty(name, std::move(value));
  properties_.clear();
}

absl::Status LiveIndex::Commit() {
  uint64_t wanted = 0;
  {
    MutexLock lock(&mutex_);
    wanted = next_;
  }
  // A thread that waited here may find that the commit before took its writes too.
  MutexLock committing(&commit_mutex_);
  if (durable_ >= wanted && !HasNewProperties()) return absl::OkStatus();
  uint64_t written = 0;
  while (written < wanted) {
    PMDEX_ASSIGN_OR_RETURN(written, WriteDocuments());
  }
  PMDEX_RETURN_IF_ERROR(WriteDeletions(written));
  TakeFieldsAndProperties();
  writer_->SetProperty(kNextWriteProperty, absl::StrCat(written));
  PMDEX_RETURN_IF_ERROR(writer_->Publish());
  durable_ = written;
  ForgetPublished(written);
  MutexLock lock(&mutex_);
  missing_copies_ = writer_->missing_copies();
  return absl::OkStatus();
}

absl::Status LiveIndex::missing_copies() const {
  MutexLock lock(&mutex_);
  return missing_copies_;
}

}  // namespace pmdex
