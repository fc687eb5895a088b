#include "engine/ingest/checkpointer.h"

#include <optional>
#include <utility>

namespace pmdex {

Checkpointer::Checkpointer(IndexWriter& writer, BuildProgress done)
    : writer_(writer), totals_(std::move(done)), watermark_(std::move(totals_.watermark)) {
  totals_.watermark.clear();
}

void Checkpointer::KeepLocked(DoneWork work) {
  totals_.documents += work.documents;
  totals_.tokens += work.tokens;
  totals_.bytes_in += work.bytes_in;
  totals_.segments += work.segment_ids.size();
  MergeProblems(work.problems, totals_.problems);
  for (const DoneFiles& files : work.files) watermark_.Add(files);
  for (const DoneBytes& bytes : work.bytes) watermark_.Add(bytes);
  unlisted_segments_.insert(unlisted_segments_.end(), work.segment_ids.begin(),
                            work.segment_ids.end());
}

void Checkpointer::Keep(DoneWork work) {
  MutexLock lock(&mutex_);
  KeepLocked(std::move(work));
}

absl::Status Checkpointer::Commit(DoneWork work) {
  Keep(std::move(work));
  return CommitRest();
}

absl::Status Checkpointer::CommitRest() {
  while (const std::optional<Round> round = TakeRound()) {
    EndRound(writer_.Checkpoint(round->segment_ids, EncodeBuildProgress(round->progress)));
  }
  MutexLock lock(&mutex_);
  return status_;
}

std::optional<Checkpointer::Round> Checkpointer::TakeRound() {
  MutexLock lock(&mutex_);
  if (writing_ || unlisted_segments_.empty() || !status_.ok()) return std::nullopt;
  writing_ = true;
  return Round{std::exchange(unlisted_segments_, {}), ProgressLocked()};
}

void Checkpointer::EndRound(const absl::Status& status) {
  MutexLock lock(&mutex_);
  writing_ = false;
  status_.Update(status);
}

void Checkpointer::Pass(uint64_t ordinal) {
  MutexLock lock(&mutex_);
  watermark_.Pass(ordinal);
}

BuildProgress Checkpointer::ProgressLocked() const {
  BuildProgress progress = totals_;
  progress.watermark = watermark_.Build();
  return progress;
}

BuildProgress Checkpointer::progress() const {
  MutexLock lock(&mutex_);
  return ProgressLocked();
}

}  // namespace pmdex
