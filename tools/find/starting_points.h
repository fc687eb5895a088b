// The starting points of `pmdex find` and `pmdex du`: which entries of an index lie at or below a
// path, and how their paths are written. The path is taken as it was indexed; where the index has
// no such entries, also with or without `./` in front, or as an absolute path. The file system is
// not asked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct StartingPoint {
  std::string given;  // the path as it is written in answers
  std::string root;   // of the index, without a slash at the end; "/" for the root
  // True if the roots of the index are not known: every path is `below`, and `given` is empty.
  bool is_everything = false;

  // What is behind the root of a path below it, without a slash in front; empty for the root
  // itself; nullopt for other paths.
  std::optional<std::string_view> Below(std::string_view path) const;
  // The path of an entry as it is written, appended to `text`.
  void AppendShown(std::string_view below, std::string& text) const;
};

// For each path its starting point. Paths of which the index has nothing are left out and added to
// `missing`. Without paths: the roots of the index. kDataLoss if a segment is damaged.
struct StartingPoints {
  std::vector<StartingPoint> points;
  std::vector<std::string> missing;
};
absl::StatusOr<StartingPoints> FindStartingPoints(const Snapshot& snapshot,
                                                  std::span<const std::string> paths);

// The keys [low, high) of the path column of a segment that may be at or below the root.
struct PathKeys {
  uint64_t low = 0;
  uint64_t high = 0;
};
absl::StatusOr<PathKeys> FindPathKeys(const Segment& segment, const StartingPoint& point);

// The time of change of the entry with this path; kNotFound if there is none.
absl::StatusOr<int64_t> TimeOfPath(const Snapshot& snapshot, const std::string& path);

}  // namespace pmdex
