// Makes the work of a running build durable, piece by piece. The writer thread that finishes the
// last segment of a portion commits its segments together with the part of the input that they
// hold: each such pair is complete, so threads never wait for one another, and a segment is never
// listed without its input or the reverse. While one thread writes a manifest, what others commit
// goes into the next one.
//
// Thread-safe. The writer outlives it, and nobody else uses it meanwhile but to write segments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/resume/build_progress.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/ingest/resume/watermark_builder.h"
#include "engine/store/index_writer.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class Checkpointer {
 public:
  // `done`: what the build has done before this run.
  Checkpointer(IndexWriter& writer, BuildProgress done);

  // Durable on return, or soon after by the thread that is at it already; that thread reports an
  // error, and this one if it comes later. Requires that the writer has written the segments.
  absl::Status Commit(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // For the next checkpoint, or for the end of the build.
  void Keep(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Checkpoints what was kept, for a run that ends too early.
  absl::Status CommitRest() ABSL_LOCKS_EXCLUDED(mutex_);

  // See WatermarkBuilder::Pass.
  void Pass(uint64_t ordinal) ABSL_LOCKS_EXCLUDED(mutex_);

  // Manifests written by this run, and how long that took.
  struct Totals {
    uint64_t checkpoints = 0;
    double seconds = 0;
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Everything that was committed or kept, by this run and before.
  BuildProgress progress() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Round {
    std::vector<uint64_t> segment_ids;
    BuildProgress progress;
  };
  // Runs change(). When memory runs out in it what is done is not known any more, and nothing is
  // committed from then on.
  template <typename Change>
  void ChangeLocked(const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepLocked(DoneWork work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  BuildProgress ProgressLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the next manifest is to list, unless that is nothing, or another thread is writing one.
  std::optional<Round> TakeRound() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndRound(const absl::Status& status, double seconds) ABSL_LOCKS_EXCLUDED(mutex_);

  IndexWriter& writer_;
  mutable Mutex mutex_;
  BuildProgress done_ ABSL_GUARDED_BY(mutex_);  // without the watermark
  WatermarkBuilder watermark_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> unlisted_segments_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
