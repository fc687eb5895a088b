// How a LiveIndex ends for the next one of the same process, and what it tells of its state.
#include <utility>

#include "engine/live/live_index.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Adds the ids of the segment's live documents. False if one cannot be read, or there are too many.
bool AddIds(const MediumSegment& written, size_t most_ids, WriteHistory& history) {
  std::string buffer;
  for (DocId doc = 0; doc < written.segment->doc_count(); ++doc) {
    if (!IsLive(written.live_docs.get(), doc)) continue;
    const auto id = written.segment->Checked(written.segment->doc_id(doc, buffer));
    if (!id.ok()) return false;
    history.numbers.insert_or_assign(std::string(*id), (*written.sequences)[doc]);
    if (history.numbers.size() > most_ids) return false;
  }
  return written.segment->Health().ok();
}

}  // namespace

std::shared_ptr<WriteHistory> LiveIndex::History(size_t most_ids) {
  auto history = std::make_shared<WriteHistory>();
  if (history_ != nullptr) history->numbers = history_->numbers;
  history->opened = opened_;
  std::vector<MediumSegment> segments;
  {
    MutexLock committing(&commit_mutex_);
    MutexLock lock(&mutex_);
    if (writer_ == nullptr || durable_ != next_) return nullptr;
    history->generation = writer_->published().generation;
    history->next = next_;
    segments.assign(medium_.segments().begin(), medium_.segments().end());
  }
  for (const MediumSegment& written : segments) {
    // The others are in the history that this LiveIndex was given, or are as old as opened_.
    if (written.sequences != nullptr && !AddIds(written, most_ids, *history)) return nullptr;
  }
  return history;
}

void LiveIndex::EndWriting() {
  MutexLock committing(&commit_mutex_);
  writer_.reset();
}

ShownWrites LiveIndex::NewestSnapshot() const {
  MutexLock lock(&mutex_);
  return {snapshot_, shown_};
}

size_t LiveIndex::dram_segment_count() const {
  MutexLock lock(&mutex_);
  return dram_.segments().size();
}

size_t LiveIndex::memory_bytes() const {
  MutexLock lock(&mutex_);
  return MemoryBytes();
}

}  // namespace pmdex
