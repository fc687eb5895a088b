// How a LiveIndex writes its documents to the medium and publishes them.
#include <algorithm>
#include <utility>

#include "engine/live/live_index.h"
#include "pmem/check.h"

namespace pmdex {

// The documents that the next segment on the medium takes.
struct LiveIndex::Cut {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::unique_ptr<DramMemtable> gathered;       // of exactly these documents, or nullptr
  std::vector<AddedDocumentPointer> documents;  // if there is no memtable of them
};

LiveIndex::Cut LiveIndex::TakeCut() {
  Cut cut;
  MutexLock adding(&add_mutex_);
  MutexLock lock(&mutex_);
  cut.begin = written_;
  cut.end = documents_.end();
  barrier_ = cut.end;
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
  // If the segment before could not be opened, its documents are not to be written again.
  if (!unopened_.has_value()) {
    Cut cut = TakeCut();
    if (cut.begin == cut.end) return cut.end;
    if (cut.gathered == nullptr) cut.gathered = builder_.NewMemtableOf(cut.documents);
    PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, (*cut.gathered)->Freeze());
    PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer_->WriteSegment(*input));
    unopened_ = UnopenedSegment{info.segment_id, cut.end};
  }
  const std::vector<ManifestSegment> listed = writer_->NextSegments();
  PMDEX_CHECK(listed.back().id == unopened_->segment_id);  // this thread wrote the last one
  PMDEX_ASSIGN_OR_RETURN(LiveSegment opened, writer_->OpenNext(listed.back()));
  const uint64_t end = unopened_->end;
  unopened_.reset();
  MutexLock lock(&mutex_);
  segments_.push_back(std::move(opened.segment));
  written_ = end;
  frozen_ = std::max(frozen_, written_);
  dram_.DropBefore(written_);
  documents_.DropBefore(written_);
  gathered_bytes_ = 0;  // until the next Add
  has_readers_ = false;
  UpdateSnapshot();
  return end;
}

absl::Status LiveIndex::Commit() {
  uint64_t wanted = 0;
  {
    MutexLock lock(&mutex_);
    wanted = documents_.end();
  }
  // A thread that waited here may find that the commit before took its documents too.
  MutexLock committing(&commit_mutex_);
  if (durable_ >= wanted) return absl::OkStatus();
  uint64_t written = 0;
  while (written < wanted) {
    PMDEX_ASSIGN_OR_RETURN(written, WriteDocuments());
  }
  {
    MutexLock adding(&add_mutex_);
    writer_->SetFields(fields_);
  }
  PMDEX_RETURN_IF_ERROR(writer_->Publish());
  durable_ = written;
  return absl::OkStatus();
}

}  // namespace pmdex
