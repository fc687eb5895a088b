// A part of the input that becomes durable as one: whole blocks, and the segments that hold their
// documents. One indexer thread fills it, any writer threads write its segments, and whichever call
// makes it whole gets the work that is then to be committed. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/resume/done_work.h"
#include "pmem/mutex.h"

namespace pmdex {

class Portion {
 public:
  // By the indexer, before the segment can be written and before Close.
  void AddSegment() ABSL_LOCKS_EXCLUDED(mutex_);
  // The input is complete: `work` lists everything but the segments. Called once.
  std::optional<DoneWork> Close(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // By a writer, once for each segment that was added.
  std::optional<DoneWork> SegmentWritten(uint64_t segment_id) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::optional<DoneWork> TakeIfWhole() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  DoneWork work_ ABSL_GUARDED_BY(mutex_);
  int unwritten_segments_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
