#include "tools/watch/change_collector.h"

#include <algorithm>

namespace pmdex {

ChangeCollector::TimePoint ChangeCollector::DueTime(const Waiting& waiting) const {
  return std::min(waiting.last + options_.quiet_period, waiting.since + options_.longest_delay);
}

void ChangeCollector::Add(const TreeChange& change, TimePoint now) {
  if (change.kind == ChangeKind::kRenamed) AddPath(change.from, false, false, now);
  AddPath(change.path, change.kind == ChangeKind::kWritten, change.kind == ChangeKind::kRescan,
          now);
}

void ChangeCollector::AddPath(const std::string& path, bool is_written, bool is_rescan,
                              TimePoint now) {
  const auto [found, is_new] = waiting_.try_emplace(path);
  Waiting& waiting = found->second;
  if (is_new) waiting.since = now;
  waiting.last = now;
  waiting.is_written = waiting.is_written || is_written;
  waiting.is_rescan = waiting.is_rescan || is_rescan;
  if (!is_new) return;
  deadlines_.push({DueTime(waiting), path});
  const bool is_root = std::find(roots_.begin(), roots_.end(), path) != roots_.end();
  if (waiting_.size() > options_.most_paths && !is_root) Overflow(now);
}

// The scan begins later than all these changes, so that it finds what they tell of. The roots count
// as changed since the first of them.
void ChangeCollector::Overflow(TimePoint now) {
  ++overflows_;
  TimePoint since = now;
  for (const auto& [path, waiting] : waiting_) since = std::min(since, waiting.since);
  waiting_.clear();
  deadlines_ = {};
  for (const std::string& root : roots_) AddPath(root, false, true, since);
}

std::optional<ChangeCollector::TimePoint> ChangeCollector::NextDue() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.top().at;
}

std::vector<DueChange> ChangeCollector::TakeDue(TimePoint now) {
  std::vector<DueChange> due;
  while (!deadlines_.empty() && deadlines_.top().at <= now) {
    Deadline deadline = deadlines_.top();
    deadlines_.pop();
    const auto found = waiting_.find(deadline.path);
    const Waiting& waiting = found->second;
    if (const TimePoint at = DueTime(waiting); at > now) {
      deadline.at = at;
      deadlines_.push(std::move(deadline));
      continue;
    }
    due.push_back({std::move(deadline.path), waiting.is_written, waiting.is_rescan, waiting.since});
    waiting_.erase(found);
  }
  return due;
}

std::vector<DueChange> ChangeCollector::TakeAll() {
  return TakeDue(TimePoint::max());
}

}  // namespace pmdex
