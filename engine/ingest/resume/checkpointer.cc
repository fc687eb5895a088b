#include "engine/ingest/resume/checkpointer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "engine/ingest/fields/known_fields.h"
#include "engine/ingest/problem_log.h"
#include "pmem/exhaustion.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Checkpointer::Checkpointer(IndexWriter& writer, BuildProgress done, const FieldRegistry* fields,
                           bool publishes_parts, ReplaceDocuments replace)
    : writer_(writer),
      fields_(fields),
      publishes_parts_(publishes_parts),
      replace_(std::move(replace)),
      done_(std::move(done)),
      watermark_(std::move(done_.watermark)) {
  done_.watermark.clear();
}

void Checkpointer::KeepLocked(DoneWork work) {
  done_.documents += work.documents;
  done_.tokens += work.tokens;
  done_.bytes_in += work.bytes_in;
  done_.segments += work.segment_ids.size();
  MergeProblems(work.problems, done_.problems);
  std::move(work.orders.begin(), work.orders.end(), std::back_inserter(done_.orders));
  for (const auto& [name, count] : work.bad_values) done_.bad_values[name] += count;
  for (const DoneFiles& files : work.files) watermark_.Add(files);
  for (const DoneBytes& bytes : work.bytes) watermark_.Add(bytes);
  unlisted_segments_.insert(unlisted_segments_.end(), work.segment_ids.begin(),
                            work.segment_ids.end());
}

template <typename Change>
void Checkpointer::ChangeLocked(const Change& change) {
  try {
    change();
  } catch (const std::bad_alloc&) {
    status_.Update(OutOfMemory());
    throw;
  }
}

void Checkpointer::Keep(DoneWork work) {
  MutexLock lock(&mutex_);
  ChangeLocked([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { KeepLocked(std::move(work)); });
}

absl::Status Checkpointer::Commit(DoneWork work) {
  Keep(std::move(work));
  return CommitRest();
}

absl::Status Checkpointer::CommitRest() {
  while (std::optional<Round> round = TakeRound()) {
    const Clock::time_point start = Clock::now();
    const absl::Status status = CatchOutOfMemory([&] { return WriteManifest(*round); });
    EndRound(status, std::chrono::duration<double>(Clock::now() - start).count());
  }
  MutexLock lock(&mutex_);
  return status_;
}

std::optional<Checkpointer::Round> Checkpointer::TakeRound() {
  MutexLock lock(&mutex_);
  if (writing_ || unlisted_segments_.empty() || !status_.ok()) return std::nullopt;
  Round round;
  ChangeLocked([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    round = {std::exchange(unlisted_segments_, {}), ProgressLocked()};
  });
  writing_ = true;
  return round;
}

absl::Status Checkpointer::Replace(Round& round) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t updated, replace_(round.progress.orders));
  MutexLock lock(&mutex_);
  done_.updated += updated;
  round.progress.updated = done_.updated;
  return absl::OkStatus();
}

absl::Status Checkpointer::WriteManifest(Round& round) {
  if (!publishes_parts_) {
    return writer_.Checkpoint(round.segment_ids, EncodeBuildProgress(round.progress));
  }
  if (replace_) PMDEX_RETURN_IF_ERROR(Replace(round));
  return writer_.PublishPart(round.segment_ids, EncodeBuildProgress(round.progress),
                             SpecsOf(round.progress.fields));
}

void Checkpointer::EndRound(const absl::Status& status, double seconds) {
  MutexLock lock(&mutex_);
  ++totals_.checkpoints;
  totals_.seconds += seconds;
  writing_ = false;
  status_.Update(status);
}

void Checkpointer::Pass(uint64_t ordinal) {
  MutexLock lock(&mutex_);
  ChangeLocked([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { watermark_.Pass(ordinal); });
}

BuildProgress Checkpointer::ProgressLocked() const {
  BuildProgress progress = done_;
  progress.watermark = watermark_.Build();
  if (fields_ != nullptr) {
    progress.fields = fields_->fields();
    progress.fields_are_settled = fields_->is_settled();
  }
  return progress;
}

Checkpointer::Totals Checkpointer::totals() const {
  MutexLock lock(&mutex_);
  return totals_;
}

BuildProgress Checkpointer::progress() const {
  MutexLock lock(&mutex_);
  return ProgressLocked();
}

}  // namespace pmdex
