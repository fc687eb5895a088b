// Collects changes until they are due, so that a file that is written often is read once for each
// period. A path is due when nothing was reported of it for the quiet period, or when its first
// change is older than the longest delay.
//
// It holds a bounded number of paths. Beyond the bound it forgets them all and has the roots
// scanned instead. Clocks are passed in. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "tools/watch/change.h"

namespace pmdex {

struct CollectorOptions {
  std::chrono::milliseconds quiet_period{20};
  std::chrono::milliseconds longest_delay{200};
  size_t most_paths = size_t{1} << 16;
};

// Where to look, and what for.
struct DueChange {
  using TimePoint = std::chrono::steady_clock::time_point;

  std::string path;
  bool is_written = false;  // read the file even if its facts are the same
  bool is_rescan = false;   // look at everything below the path, too
  TimePoint since;          // when its first change was reported
};

class ChangeCollector {
 public:
  using TimePoint = DueChange::TimePoint;

  // roots: the paths to scan when there are too many changes.
  ChangeCollector(const CollectorOptions& options, std::vector<std::string> roots)
      : options_(options), roots_(std::move(roots)) {}

  void Add(const TreeChange& change, TimePoint now);
  // When the next path is due; nullopt if none waits. May be earlier than it really is.
  std::optional<TimePoint> NextDue() const;
  // Removes and returns the paths that are due.
  std::vector<DueChange> TakeDue(TimePoint now);
  // The same for all paths, due or not.
  std::vector<DueChange> TakeAll();

  size_t size() const { return waiting_.size(); }
  // How many times there were too many changes.
  uint64_t overflows() const { return overflows_; }

 private:
  struct Waiting {
    bool is_written = false;
    bool is_rescan = false;
    TimePoint since;
    TimePoint last;
  };
  struct Deadline {
    TimePoint at;
    std::string path;
    bool operator>(const Deadline& other) const { return at > other.at; }
  };

  void AddPath(const std::string& path, bool is_written, bool is_rescan, TimePoint now);
  void Overflow(TimePoint now);
  TimePoint DueTime(const Waiting& waiting) const;

  const CollectorOptions options_;
  const std::vector<std::string> roots_;
  absl::flat_hash_map<std::string, Waiting> waiting_;
  // Exactly one entry for each waiting path. It may be too early, because a change of a path that
  // waits already does not touch it.
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  uint64_t overflows_ = 0;
};

}  // namespace pmdex
