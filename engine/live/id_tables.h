// Finds the documents with an id in the segments of a live index that are on the medium. Each new
// segment gets a table of its ids (engine/store/document_ids.h). Tables of small segments are
// united now and then, so that looking an id up reads few of them, however many commits there were.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/live/medium_segments.h"
#include "engine/segment/segment.h"
#include "engine/store/document_ids.h"
#include "pmem/status.h"

namespace pmdex {

class IdTables {
 public:
  // The version of the segments that it has tables of (MediumSegments::version).
  uint64_t version() const { return version_; }
  // Makes tables of new segments, for which it reads all their ids. A table is made anew once more
  // than half of its documents are in segments that are gone; until then it keeps these open.
  // Returns kDataLoss if a
  // segment is damaged; then Find must not be called until another Follow has returned OK.
  absl::Status Follow(std::span<const MediumSegment> segments, uint64_t version);
  // The numbers of the documents with this id, ascending. Some may have been deleted, and segments
  // may be gone in which they were. Errors as Follow.
  absl::StatusOr<std::vector<uint64_t>> Find(std::string_view id) const;

  size_t table_count() const { return tables_.size(); }

 private:
  // So many tables of one level become one of the next level, if it has no more than this many
  // documents: to unite tables reads the ids of a segment once for each level.
  static constexpr size_t kUnitedTables = 8;
  static constexpr uint64_t kMostUnitedDocuments = uint64_t{1} << 18;

  struct Source {
    uint64_t begin = 0;  // the number of its first document
    std::shared_ptr<const Segment> segment;
  };
  struct Table {
    std::vector<Source> sources;  // that the table reads; some may be gone
    uint64_t documents = 0;       // of these segments, deleted ones included
    uint32_t level = 0;
    DocumentIds ids;

    uint64_t begin() const { return sources.front().begin; }
    uint64_t end() const { return sources.back().begin + sources.back().segment->doc_count(); }
    // True if it reads all segments of the run, and at least half of its documents are in them.
    bool IsOf(std::span<const MediumSegment> run) const;
  };
  static absl::StatusOr<Table> MakeTable(std::span<const MediumSegment> run, uint32_t level);
  // Unites the last tables while there are enough of one level. segments: those of all tables.
  static absl::Status UniteLast(std::span<const MediumSegment> segments,
                                std::vector<Table>& tables);

  std::vector<Table> tables_;  // by number of the first document
  uint64_t version_ = 0;
};

}  // namespace pmdex
