// The starting points of `pmdex find` and `pmdex du`: which entries of an index lie at or below a
// path, and how their paths are written. The path is taken as it was indexed; where the index has
// no such entries, other spellings of it are tried: without empty parts, with or without `./` in
// front, absolute, or relative to where the index was built. The file system is not asked, so that
// `..` behind a link is taken as if it were a directory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/column_format.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/kernel/window_bits.h"

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

// The keys of the path column of a segment that are at or below the root: those in [low, high), and
// that of the root itself. Paths that begin like the root, as "root.c", lie between the two.
struct PathKeys {
  static constexpr uint64_t kNoKey = UINT64_MAX;
  uint64_t low = 0;
  uint64_t high = 0;
  uint64_t root = kNoKey;

  bool empty() const { return low >= high && root == kNoKey; }
  bool Has(uint64_t key) const { return (low <= key && key < high) || key == root; }
  bool MayHave(const ColumnZone& zone) const {
    return (zone.least < high && zone.greatest >= low) ||
           (root != kNoKey && zone.least <= root && zone.greatest >= root);
  }
  // Removes the documents from `bits` whose keys are others. keys: by document of the window.
  void Retain(std::span<const uint64_t> keys, WindowBits& bits) const;
};
absl::StatusOr<PathKeys> FindPathKeys(const Segment& segment, const StartingPoint& point);
// True if some path has more than one slash behind the root, or one where nothing follows. In other
// segments a path below the root is the root, a slash unless the root ends with one, and the rest.
absl::StatusOr<bool> HasMoreSlashes(const Segment& segment, const StartingPoint& point);

// The time of change of the entry with this path; kNotFound if there is none.
absl::StatusOr<int64_t> TimeOfPath(const Snapshot& snapshot, const std::string& path);

}  // namespace pmdex
