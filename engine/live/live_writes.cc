// The writes of a LiveIndex: documents that come, replace others, or go.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/live/live_index.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// While snapshots are taken, so many documents without a segment become one before the next
// snapshot, so that taking it does not take long.
constexpr uint64_t kMostUnfrozen = 256;

std::string ToString(const WriteSequence& sequence) {
  return absl::StrCat("number ", sequence.number, " of term ", sequence.term);
}

// present: the write of the document that is there, if there is one.
absl::Status CheckCondition(const WriteCondition& condition, std::string_view id,
                            const std::optional<WriteSequence>& present) {
  if (condition.absent && condition.at.has_value()) {
    return InvalidArgument("a document cannot be absent and of a certain write");
  }
  if (condition.absent && present.has_value()) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is a document with the id ", ToAbsl(id), ", of write ",
                                   ToString(*present)));
  }
  if (condition.at.has_value() && condition.at != present) {
    return MakeStatus(absl::StatusCode::kAborted,
                      absl::StrCat("the document with the id ", ToAbsl(id), " is not of write ",
                                   ToString(*condition.at), ": ",
                                   present.has_value() ? "it is of write " + ToString(*present)
                                                       : std::string("there is none")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LiveIndex::Add(AddedDocument document) {
  PMDEX_RETURN_IF_ERROR(CheckAddedDocument(document));
  PMDEX_RETURN_IF_ERROR(MakeRoom());
  MutexLock adding(&add_mutex_);
  PMDEX_RETURN_IF_ERROR(AddFields(document, fields_));
  Write(std::make_shared<const AddedDocument>(std::move(document)), {});
  return absl::OkStatus();
}

absl::StatusOr<WriteResult> LiveIndex::Put(AddedDocument document,
                                           const WriteCondition& condition) {
  PMDEX_RETURN_IF_ERROR(CheckAddedDocument(document));
  PMDEX_RETURN_IF_ERROR(MakeRoom());
  MutexLock adding(&add_mutex_);
  PMDEX_ASSIGN_OR_RETURN(const Present present, FindPresent(document.id));
  PMDEX_RETURN_IF_ERROR(CheckCondition(condition, document.id, present.sequence));
  PMDEX_RETURN_IF_ERROR(AddFields(document, fields_));
  const WriteSequence sequence =
      Write(std::make_shared<const AddedDocument>(std::move(document)), present.numbers);
  return WriteResult{sequence, present.numbers.size()};
}

absl::StatusOr<WriteResult> LiveIndex::Delete(std::string_view id,
                                              const WriteCondition& condition) {
  if (condition.absent) return InvalidArgument("a document that is absent cannot be deleted");
  MutexLock adding(&add_mutex_);
  PMDEX_ASSIGN_OR_RETURN(const Present present, FindPresent(id));
  PMDEX_RETURN_IF_ERROR(CheckCondition(condition, id, present.sequence));
  MutexLock lock(&mutex_);
  MarkDeleted(present.numbers, next_);
  return WriteResult{{opened_.term, next_++}, present.numbers.size()};
}

WriteSequence LiveIndex::Write(AddedDocumentPointer document,
                               const std::vector<uint64_t>& deleted) {
  // If there is no memory for the document, the memtable may have a part of it. It is given up
  // then, and the next commit makes one of documents_.
  const uint64_t gathered_begin = std::exchange(gathered_begin_, kNothingGathered);
  if (gathered_begin == kNothingGathered) {
    gathered_.reset();
  } else {
    if (gathered_ == nullptr) gathered_ = builder_.NewMemtable();
    AddToMemtable(*document, **gathered_);
  }
  MutexLock lock(&mutex_);
  MarkDeleted(deleted, next_);
  documents_.Append(std::move(document), next_);
  gathered_begin_ = gathered_begin;
  gathered_bytes_ = gathered_ == nullptr ? 0 : (*gathered_)->memory_bytes();
  if (has_readers_ && documents_.end() - frozen_ == kMostUnfrozen) CallWorker();
  return {opened_.term, next_++};
}

void LiveIndex::MarkDeleted(const std::vector<uint64_t>& numbers, uint64_t write) {
  for (const uint64_t number : numbers) {
    deletions_.Append(write, number);
    if (number >= documents_.begin()) documents_.MarkDeleted(number, write);
  }
}

bool LiveIndex::IsDeletedOnMedium(uint64_t number) const {
  if (deletions_.IsHidden(number)) return true;
  const size_t i = medium_.Find(number);
  if (i == medium_.segments().size()) return true;  // its segment had no live documents
  const MediumSegment& written = medium_.segments()[i];
  return !IsLive(written.live_docs.get(), static_cast<DocId>(number - written.begin));
}

WriteSequence LiveIndex::SequenceOf(uint64_t number, std::string_view id) const {
  if (number >= documents_.begin()) return {opened_.term, documents_.SequenceOf(number)};
  const MediumSegment& written = medium_.segments()[medium_.Find(number)];
  if (written.sequences != nullptr) {
    return {opened_.term, (*written.sequences)[number - written.begin]};
  }
  if (history_ == nullptr) return opened_;
  const auto found = history_->numbers.find(ToAbsl(id));
  return found == history_->numbers.end() ? opened_ : WriteSequence{opened_.term, found->second};
}

absl::StatusOr<bool> LiveIndex::FollowSegments() {
  std::vector<MediumSegment> segments;
  uint64_t version = 0;
  {
    MutexLock lock(&mutex_);
    version = medium_.version();
    if (ids_.version() == version) return false;
    segments.assign(medium_.segments().begin(), medium_.segments().end());
  }
  PMDEX_RETURN_IF_ERROR(ids_.Follow(segments, version));
  return true;
}

absl::StatusOr<LiveIndex::Present> LiveIndex::FindPresent(std::string_view id) {
  while (true) {
    PMDEX_RETURN_IF_ERROR(FollowSegments().status());
    Present present;
    PMDEX_ASSIGN_OR_RETURN(present.numbers, ids_.Find(id));
    MutexLock lock(&mutex_);
    if (medium_.version() != ids_.version()) continue;  // documents went to the medium meanwhile
    std::erase_if(present.numbers, [this](uint64_t number) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return IsDeletedOnMedium(number);
    });
    const std::vector<uint64_t> added = documents_.FindLive(id);
    present.numbers.insert(present.numbers.end(), added.begin(), added.end());
    if (!present.numbers.empty()) present.sequence = SequenceOf(present.numbers.back(), id);
    return present;
  }
}

std::optional<FoundDocument> LiveIndex::FindInSnapshot(uint64_t number, std::string_view id) const {
  size_t segment = medium_.Find(number);
  uint64_t begin = 0;
  if (segment < medium_.segments().size()) {
    begin = medium_.segments()[segment].begin;
  } else {
    const std::span<const DramSegment> frozen = dram_.segments();
    const auto found = std::find_if(frozen.begin(), frozen.end(), [&](const DramSegment& part) {
      return part.begin <= number && number < part.end;
    });
    if (found == frozen.end()) return std::nullopt;
    begin = found->begin;
    segment += static_cast<size_t>(found - frozen.begin());
  }
  const auto doc = static_cast<DocId>(number - begin);
  if (!IsLive(snapshot_->live_docs(segment), doc)) return std::nullopt;
  return FoundDocument{snapshot_, snapshot_->doc_base(segment) + doc, SequenceOf(number, id)};
}

absl::StatusOr<std::optional<FoundDocument>> LiveIndex::FindDocument(std::string_view id) {
  while (true) {
    Present present;
    {
      MutexLock adding(&add_mutex_);
      PMDEX_ASSIGN_OR_RETURN(present, FindPresent(id));
    }
    if (present.numbers.empty()) return std::optional<FoundDocument>();
    {
      MutexLock lock(&mutex_);
      has_readers_ = true;
    }
    PMDEX_RETURN_IF_ERROR(ShowWrites(present.sequence->number + 1));
    MutexLock lock(&mutex_);
    std::optional<FoundDocument> found = FindInSnapshot(present.numbers.back(), id);
    if (found.has_value()) return found;  // otherwise it was replaced or deleted meanwhile
  }
}

}  // namespace pmdex
