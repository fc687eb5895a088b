// Opens an index for `pmdex find` and `pmdex du`, and goes through its entries below starting
// points.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/status.h"
#include "query/access/hit_check.h"
#include "query/files/entry_reader.h"
#include "query/kernel/window_bits.h"
#include "tools/find/starting_points.h"

namespace pmdex {

// Entries among the documents of one window (window_bits.h) of a segment.
struct EntryWindow {
  size_t segment = 0;  // its number in the snapshot
  EntryReader& reader;
  PathKeys keys;                  // of the segment
  bool has_more_slashes = false;  // HasMoreSlashes of the segment
  uint32_t window = 0;
  WindowBits entries;

  void MoveTo(uint32_t i) const { reader.MoveToEntry(window * kWindowDocs + i); }
};

class IndexEntries {
 public:
  // index, as_user: the values of --index and --as-user; without a user nothing is hidden. Warns of
  // what is missing in the index.
  static absl::StatusOr<IndexEntries> Open(const std::string& index, const std::string& as_user);

  const Snapshot& snapshot() const { return *snapshot_; }
  // False if a part of the index does not answer, so that entries may be missing.
  bool is_whole() const { return snapshot_->quarantined().empty(); }

  // From now on only documents that match the query are entries.
  absl::Status KeepMatches(const std::string& query);

  // Calls `visit` with the live entries at or below the point, window by window. MayShow may still
  // hide some. kDataLoss if a segment is damaged.
  using VisitWindow = std::function<void(const EntryWindow& entries)>;
  absl::Status ForEachWindow(const StartingPoint& point, const VisitWindow& visit) const;
  bool hides_some() const { return access_ != nullptr; }
  // False if the user must not see the entry with this path now.
  bool MayShow(std::string_view path, bool is_link) const {
    return access_ == nullptr || access_->MayShow(path, is_link);
  }

  // Calls `visit` with each entry that is shown, in the same order. below: as of StartingPoint. The
  // reader is at the entry.
  using Visit = std::function<void(EntryReader& reader, std::string_view below)>;
  absl::Status ForEach(const StartingPoint& point, const Visit& visit) const;

 private:
  IndexEntries() = default;
  absl::Status ForEachWindowIn(size_t segment, const StartingPoint& point,
                               const VisitWindow& visit) const;
  void RetainMatches(EntryWindow& entries) const;

  std::unique_ptr<Directory> directory_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<const HitCheck> access_;  // nullptr: every entry is shown
  // By segment, ascending; nullopt: all documents.
  std::optional<std::vector<std::vector<DocId>>> matches_;
};

}  // namespace pmdex
