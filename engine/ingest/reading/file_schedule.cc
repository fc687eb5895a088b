#include "engine/ingest/reading/file_schedule.h"

#include <algorithm>
#include <utility>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {
namespace {

size_t BytesOf(const InputFile& file) {
  return sizeof(file) + file.path.capacity() + file.done.capacity() * sizeof(DoneRange);
}

}  // namespace

bool FileSchedule::Push(InputFile file) {
  MutexLock lock(&mutex_);
  if (!MayPush()) {
    const StageClock::time_point since = StageClock::now();
    mutex_.Await(this, &FileSchedule::MayPush);
    meter_.AddPushWait(StageClock::now() - since);
  }
  if (cancelled_) return false;
  const size_t file_bytes = BytesOf(file);
  (IsLarge(file) ? large_ : small_).push_back(std::move(file));
  waiting_bytes_ += file_bytes;
  meter_.SetDepth(waiting());
  return true;
}

void FileSchedule::Close() {
  MutexLock lock(&mutex_);
  closed_ = true;
}

void FileSchedule::Cancel() {
  MutexLock lock(&mutex_);
  cancelled_ = true;
  small_.clear();
  large_.clear();
  waiting_bytes_ = 0;
  offers_.clear();
}

ReadTask FileSchedule::Next() {
  MutexLock lock(&mutex_);
  if (!MayTake()) {
    const StageClock::time_point since = StageClock::now();
    mutex_.Await(this, &FileSchedule::MayTake);
    meter_.AddPopWait(StageClock::now() - since);
  }
  ReadTask task;
  if (cancelled_) return task;
  if (waiting() > 0) {
    task.file = TakeFile();
    meter_.SetDepth(waiting());
    ++files_in_hand_;
  } else if (!offers_.empty()) {
    // The one that fewest help with, as near as may be: everybody goes to the end of the queue.
    std::rotate(offers_.begin(), offers_.begin() + 1, offers_.end());
    task.shared = offers_.back();
  }
  return task;
}

void FileSchedule::FileIsRead() {
  MutexLock lock(&mutex_);
  --files_in_hand_;
}

bool FileSchedule::AwaitMore() {
  MutexLock lock(&mutex_);
  if (!MoreIsKnown()) {
    const StageClock::time_point since = StageClock::now();
    mutex_.Await(this, &FileSchedule::MoreIsKnown);
    meter_.AddPopWait(StageClock::now() - since);
  }
  return !cancelled_ && (waiting() > 0 || !offers_.empty());
}

void FileSchedule::Offer(std::shared_ptr<SharedRead> shared) {
  MutexLock lock(&mutex_);
  if (!cancelled_) offers_.push_back(std::move(shared));
}

void FileSchedule::Withdraw(const SharedRead* shared) {
  MutexLock lock(&mutex_);
  std::erase_if(offers_, [=](const auto& offer) { return offer.get() == shared; });
}

QueueReport FileSchedule::report() const {
  MutexLock lock(&mutex_);
  return meter_.Report(capacity_);
}

bool FileSchedule::IsLarge(const InputFile& file) const {
  return larger_first_ && file.size_bytes + file.path.size() >= pool_.block_bytes();
}

InputFile FileSchedule::TakeFile() {
  const std::optional<size_t> large = NextLarge();
  std::deque<InputFile>& files = large.has_value() ? large_ : small_;
  const auto next = files.begin() + static_cast<ptrdiff_t>(large.value_or(0));
  InputFile file = std::move(*next);
  files.erase(next);
  waiting_bytes_ -= BytesOf(file);
  return file;
}

std::optional<size_t> FileSchedule::NextLarge() const {
  if (large_.empty()) return std::nullopt;
  uint64_t first = large_.front().ordinal;
  if (!small_.empty()) first = std::min(first, small_.front().ordinal);
  const bool oversize_is_free = pool_.OversizeIsFree();
  std::optional<size_t> largest;
  for (size_t i = 0; i < large_.size(); ++i) {
    const InputFile& file = large_[i];
    if (file.ordinal >= first + kFilesLookedAt) break;
    if (file.format == InputFormat::kFiles && !oversize_is_free) continue;
    if (!largest.has_value() || file.size_bytes > large_[*largest].size_bytes) largest = i;
  }
  // If nothing else is left, the reader takes a file that has to wait for the oversize block.
  return !largest.has_value() && small_.empty() ? 0 : largest;
}

}  // namespace pmdex
