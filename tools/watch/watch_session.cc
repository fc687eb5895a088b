#include "tools/watch/watch_session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

// How often the session looks whether it is to end, and whether another writer has ended.
constexpr std::chrono::milliseconds kLookAgain{100};
// At the end the kernel's queue is read until it is empty, but no longer than this: other programs
// may go on writing.
constexpr std::chrono::seconds kLongestReading{5};

std::vector<std::string> PathsOfRoots(const std::vector<TreeRoot>& roots) {
  std::vector<std::string> paths;
  for (const TreeRoot& root : roots) paths.push_back(root.path());
  return paths;
}

// How many of the files are applied at a time.
size_t FilesOfBatch(const std::vector<FileToRead>& files, const WatchOptions& options) {
  uint64_t bytes = 0;
  size_t moved = 0;
  size_t read = 0;
  while (moved + read < files.size() && moved < options.most_moved && read < options.most_files &&
         bytes < options.most_bytes) {
    const FileToRead& file = files[moved + read];
    if (file.same_as.empty()) bytes += file.facts.size_bytes;
    ++(file.same_as.empty() ? read : moved);
  }
  return moved + read;
}

std::chrono::nanoseconds ThreadCpuTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

WatchSession::WatchSession(const WatchOptions& options, const std::vector<TreeRoot>& roots,
                           WatchedIndex& index, const StopFlag& stop,
                           std::function<void(std::string_view)> warn)
    : options_(options),
      roots_(roots),
      index_(index),
      stop_(stop),
      warn_(std::move(warn)),
      comparison_(roots, index.known(), problems_, options.keeps_entries),
      collector_(options.collector, PathsOfRoots(roots)) {}

WatchSession::~WatchSession() {
  EndReading();
}

absl::Status WatchSession::OpenSource() {
  PMDEX_ASSIGN_OR_RETURN(source_, OpenChangeSource(options_.source, roots_, options_.poll_every));
  report_.source = source_->name();
  PMDEX_ASSIGN_OR_RETURN(poll_, OpenChangeSource(SourceKind::kPoll, roots_, options_.poll_every));
  if (const std::string warning = source_->TakeWarning(); !warning.empty()) warn_(warning);
  end_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  if (!end_.valid()) return ErrnoStatus(errno, "eventfd");
  PMDEX_ASSIGN_OR_RETURN(reader_, StartThread([this] { ReadChanges(); }));
  return absl::OkStatus();
}

void WatchSession::EndReading() {
  if (!reader_.joinable()) return;
  const uint64_t one = 1;
  (void)!write(end_.get(), &one, sizeof one);
  reader_.join();
}

// The kernel tells no times of its changes, so that they are read at once, whatever the other
// thread does.
void WatchSession::ReadChanges() {
  for (;;) {
    std::array<pollfd, 3> waits = {pollfd{end_.get(), POLLIN, 0},
                                   pollfd{source_->descriptor(), POLLIN, 0},
                                   pollfd{poll_->descriptor(), POLLIN, 0}};
    poll(waits.data(), waits.size(), -1);
    if (waits[1].revents != 0) TakeNote(*source_);
    if (waits[2].revents != 0 && source_->is_partial()) {
      const absl::Status status = source_->WatchAgain();
      TakeNote(*poll_);
      MutexLock lock(&mutex_);
      read_status_.Update(status);
    } else if (waits[2].revents != 0) {
      poll_->Read([](const TreeChange&) {}).IgnoreError();
    }
    if (waits[0].revents != 0) return ReadRest();
    if (!ReadStatus().ok()) return;
  }
}

// One Read takes a bounded number of changes, and the queue of the kernel may hold more.
void WatchSession::ReadRest() {
  const Clock::time_point end = Clock::now() + kLongestReading;
  while (ReadStatus().ok() && Clock::now() < end) {
    pollfd wait = {source_->descriptor(), POLLIN, 0};
    if (poll(&wait, 1, 0) <= 0) return;
    TakeNote(*source_);
  }
}

absl::Status WatchSession::ReadStatus() {
  MutexLock lock(&mutex_);
  return read_status_;
}

void WatchSession::TakeNote(ChangeSource& source) {
  std::vector<TreeChange> changes;
  const absl::Status status =
      source.Read([&changes](const TreeChange& change) { changes.push_back(change); });
  const Clock::time_point now = Clock::now();
  MutexLock lock(&mutex_);
  // While paths wait, the other thread wakes when the first of them is due.
  has_news_ = has_news_ || collector_.size() == 0 || !status.ok();
  for (const TreeChange& change : changes) collector_.Add(change, now);
  source_overflows_ = source_->overflows();
  read_status_.Update(status);
  if (std::string warning = source.TakeWarning(); !warning.empty()) warning_ = std::move(warning);
}

absl::StatusOr<WatchReport> WatchSession::Run(
    const std::function<void(const WatchReport&)>& after_batch) {
  const Clock::time_point start = Clock::now();
  // Before the trees are scanned, so that no change is lost in between.
  if (!options_.once) PMDEX_RETURN_IF_ERROR(OpenSource());
  absl::Status status = BringUpToDate();
  if (status.ok() && !report_.is_interrupted) {
    if (after_batch) after_batch(report_);
    if (!options_.once) status = Follow(after_batch);
  }
  EndReading();
  if (absl::IsUnavailable(status) && stop_.IsSet() && !options_.once) {
    warn_("another command writes to the index: the next watch finds the changes that are left");
    status = absl::OkStatus();
  }
  PMDEX_RETURN_IF_ERROR(status);
  report_.problems = problems_.Take();
  MergeProblems(index_.TakeProblems(), report_.problems);
  report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report_;
}

absl::Status WatchSession::BringUpToDate() {
  for (;;) {
    absl::Status status = index_.PublishIfNew();
    if (status.ok() && index_.HasUnknownDocuments()) status = index_.AdoptDocuments();
    if (status.ok()) break;
    if (!absl::IsUnavailable(status) || options_.once || stop_.IsSet()) return status;
    Rest(kLookAgain);
  }
  std::vector<DueChange> changes;
  for (const TreeRoot& root : roots_) {
    changes.push_back({root.path(), false, true, Clock::now()});
  }
  for (const DueChange& change : changes) PMDEX_RETURN_IF_ERROR(comparison_.LookAt(change));
  TreeDifference difference = comparison_.Take();
  report_.unchanged = difference.unchanged;
  index_.WaitOutTicks(true);
  PMDEX_RETURN_IF_ERROR(ApplyDifference(std::move(difference), /*may_stop=*/true));
  index_.WaitOutTicks(false);
  if (index_.HasUnknownDocuments()) {
    // Nothing had changed. If another command writes now, the next start takes the index over.
    absl::Status published = index_.PublishKnownFiles();
    if (!published.ok() && !absl::IsUnavailable(published)) return published;
  }
  if (!stop_.IsSet()) MergeSmallSegments();
  report_.lag = LagHistogram();  // these changes are older than the watch
  return absl::OkStatus();
}

absl::Status WatchSession::Follow(const std::function<void(const WatchReport&)>& after_batch) {
  while (!stop_.IsSet()) {
    const std::vector<DueChange> due = AwaitDue();
    const uint64_t generations = report_.applied.generations;
    PMDEX_RETURN_IF_ERROR(Apply(due));
    if (report_.applied.generations != generations) {
      if (after_batch) after_batch(report_);
      // Only now: nobody waits for a merge to see changes.
      MergeSmallSegments();
    }
    // Nobody reads changes any more.
    PMDEX_RETURN_IF_ERROR(ReadStatus());
  }
  EndReading();
  std::vector<DueChange> rest;
  {
    MutexLock lock(&mutex_);
    rest = collector_.TakeAll();
  }
  PMDEX_RETURN_IF_ERROR(Apply(rest));
  return ReadStatus();
}

std::vector<DueChange> WatchSession::AwaitDue() {
  std::string warning;
  std::vector<DueChange> due;
  {
    MutexLock lock(&mutex_);
    const Clock::time_point now = Clock::now();
    Clock::duration wait = kLookAgain;
    if (const auto next = collector_.NextDue()) wait = std::min(wait, *next - now);
    // The condition variable waits for whole milliseconds.
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(wait);
    if (rounded.count() > 0) mutex_.AwaitFor(rounded, this, &WatchSession::HasNews);
    has_news_ = false;
    due = collector_.TakeDue(Clock::now());
    report_.overflows = collector_.overflows() + source_overflows_;
    warning = std::exchange(warning_, {});
    // What is due is applied first; the error stays.
    if (due.empty() && !read_status_.ok()) due = collector_.TakeAll();
  }
  if (!warning.empty()) warn_(warning);
  return due;
}

void WatchSession::Rest(Clock::duration longest) const {
  const Clock::time_point end = Clock::now() + longest;
  while (!stop_.IsSet() && Clock::now() < end) {
    std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), kLookAgain));
  }
}

absl::Status WatchSession::Apply(const std::vector<DueChange>& changes) {
  for (const DueChange& change : changes) PMDEX_RETURN_IF_ERROR(comparison_.LookAt(change));
  return ApplyDifference(comparison_.Take(), /*may_stop=*/false);
}

// Documents go last, so that a renamed file that waits for a later batch has one in the meantime.
absl::Status WatchSession::ApplyDifference(TreeDifference difference, bool may_stop) {
  while (!difference.IsEmpty() && !(may_stop && stop_.IsSet())) {
    TreeDifference batch;
    const size_t files = FilesOfBatch(difference.to_read, options_);
    const auto end = difference.to_read.begin() + static_cast<std::ptrdiff_t>(files);
    batch.to_read.assign(std::make_move_iterator(difference.to_read.begin()),
                         std::make_move_iterator(end));
    difference.to_read.erase(difference.to_read.begin(), end);
    if (difference.to_read.empty()) batch.removed = std::exchange(difference.removed, {});
    PMDEX_RETURN_IF_ERROR(ApplyBatch(batch));
  }
  report_.is_interrupted = report_.is_interrupted || !difference.IsEmpty();
  return absl::OkStatus();
}

void WatchSession::MergeSmallSegments() {
  CpuPacer pacer(
      options_.throttle.ShareOfMerge(reading_cpu_, reading_elapsed_),
      [this] { return stop_.IsSet(); }, options_.merge_time);
  const absl::Status status = index_.MergeSmallSegments([&pacer] { pacer.Keep(); });
  if (status.ok() || std::exchange(has_warned_of_merge_, true)) return;
  warn_(absl::StrCat("small segments stay, because they cannot be merged: ",
                     ToAbsl(Message(status))));
}

// Another command may write to the index: it ends some time, and the batch stays as it is.
absl::StatusOr<AppliedChanges> WatchSession::ApplyWhenFree(const TreeDifference& batch) {
  for (;;) {
    absl::StatusOr<AppliedChanges> applied = index_.Apply(batch);
    if (!absl::IsUnavailable(applied.status()) || options_.once) return applied;
    if (stop_.IsSet()) {
      const Clock::time_point now = Clock::now();
      if (!last_try_.has_value()) last_try_ = now + options_.longest_end;
      if (now >= *last_try_) return applied;
    }
    std::this_thread::sleep_for(kLookAgain);
  }
}

absl::Status WatchSession::ApplyBatch(const TreeDifference& batch) {
  const Clock::time_point start = Clock::now();
  const std::chrono::nanoseconds cpu_start = ThreadCpuTime();
  const absl::StatusOr<AppliedChanges> applied = ApplyWhenFree(batch);
  PMDEX_RETURN_IF_ERROR(applied.status());
  const Clock::time_point now = Clock::now();
  for (const FileToRead& file : batch.to_read) report_.lag.Add(now - file.since);
  for (const RemovedFile& file : batch.removed) {
    if (!file.is_renamed) report_.lag.Add(now - file.since);
  }
  report_.applied.Add(*applied);
  if (!stop_.IsSet()) {
    const auto is_read = [](const FileToRead& file) { return file.same_as.empty(); };
    const auto read = std::count_if(batch.to_read.begin(), batch.to_read.end(), is_read);
    const std::chrono::nanoseconds cpu = ThreadCpuTime() - cpu_start;
    const std::chrono::nanoseconds rest =
        options_.throttle.RestAfter(static_cast<uint64_t>(read), cpu, now - start);
    reading_cpu_ += cpu;
    reading_elapsed_ += now - start + rest;
    Rest(rest);
  }
  return absl::OkStatus();
}

}  // namespace pmdex
