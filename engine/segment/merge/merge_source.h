// A segment that is merged with others, and a place to keep the first error of a merge. The
// functions of a SegmentInput return no status, so what goes wrong while sources are read is kept
// here until WriteSegment has returned. Belongs to one thread.
#pragma once

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

struct MergeSource {
  const Segment* segment = nullptr;
  const LiveDocs* live_docs = nullptr;  // nullptr: all documents are live
};

class MergeStatus {
 public:
  // Keeps the first error.
  void Set(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }
  bool ok() const { return status_.ok(); }
  const absl::Status& Get() const { return status_; }

 private:
  absl::Status status_;
};

}  // namespace pmdex
