// A part of the input that becomes durable at once: whole blocks, and the segments that hold their
// documents. One indexer thread fills it, and any writer threads write its segments. The call that
// completes the portion returns its work, which the caller then commits. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/resume/done_work.h"
#include "pmem/mutex.h"

namespace pmdex {

class Portion {
 public:
  // The indexer calls this for each segment, before it hands the segment over and before Close.
  void AddSegment() ABSL_LOCKS_EXCLUDED(mutex_);
  // The indexer calls this once, when it has all blocks. `work` lists everything but the segments.
  std::optional<DoneWork> Close(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // The writer of a segment calls this when it is written. runs: where its documents come from, if
  // the build keeps that.
  std::optional<DoneWork> SegmentWritten(uint64_t segment_id, std::vector<InputRun> runs = {})
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::optional<DoneWork> TakeIfWhole() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  DoneWork work_ ABSL_GUARDED_BY(mutex_);
  int unwritten_segments_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
