// Finds the documents with an id in the segments of a live index that are on the medium: a table of
// ids (engine/store/document_ids.h) for each segment, which is made once. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
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
  // Makes tables of new segments, for which it reads all their ids, and drops those of segments
  // that are not there any more. Returns kDataLoss if a segment is damaged; then Find must not be
  // called until another Follow has returned OK.
  absl::Status Follow(std::span<const MediumSegment> segments, uint64_t version);
  // The numbers of the documents with this id, ascending. Some may have been deleted since Follow.
  // Errors as Follow.
  absl::StatusOr<std::vector<uint64_t>> Find(std::string_view id) const;

 private:
  struct Table {
    std::shared_ptr<const Segment> segment;  // that the table reads
    DocumentIds ids;
  };
  std::map<uint64_t, Table> tables_;  // by number of the first document
  uint64_t version_ = 0;
};

}  // namespace pmdex
