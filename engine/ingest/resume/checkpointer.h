// Makes the work of a running build durable, one portion after the other. The writer thread that
// finishes the last segment of a portion commits its segments together with the part of the input
// that they hold. So threads never wait for one another's portions, and the manifest never lists a
// segment without its input or the reverse. While one thread writes a manifest, the others' commits
// are collected for the next one. If the build is to be searched while it runs, each of these
// manifests also makes the segments visible to readers.
//
// Thread-safe. The IndexWriter outlives the checkpointer. Meanwhile others may only write segments
// with it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/resume/build_progress.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/ingest/resume/watermark_builder.h"
#include "engine/store/index_writer.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class Checkpointer {
 public:
  // Deletes the documents that others of these segments replace, from the next PublishPart on, and
  // returns how many.
  using ReplaceDocuments =
      std::function<absl::StatusOr<uint64_t>(std::span<const SegmentOrder> orders)>;

  // done: what the build has done before this run. fields: those of the build, which each
  // checkpoint keeps; nullptr: those of `done`. The registry outlives the checkpointer.
  // publishes_parts: readers see what was committed (IndexWriter::PublishPart). replace: called
  // before each part is published; may be empty.
  Checkpointer(IndexWriter& writer, BuildProgress done, const FieldRegistry* fields = nullptr,
               bool publishes_parts = false, ReplaceDocuments replace = nullptr);

  // Commits the work. It is durable on return, unless another thread is writing a manifest: that
  // thread then commits this work too, and reports the error if it cannot. After an error every
  // later Commit returns it. Requires that the segments are written.
  absl::Status Commit(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps the work for the next checkpoint or for the end of the build.
  void Keep(DoneWork work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Commits the work that was kept; for a run that ends too early.
  absl::Status CommitRest() ABSL_LOCKS_EXCLUDED(mutex_);

  // See WatermarkBuilder::Pass.
  void Pass(uint64_t ordinal) ABSL_LOCKS_EXCLUDED(mutex_);

  // How many manifests this run has written, and how long that took.
  struct Totals {
    uint64_t checkpoints = 0;
    double seconds = 0;
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);

  // All work that was committed or kept, in this run and before.
  BuildProgress progress() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Round {
    std::vector<uint64_t> segment_ids;
    BuildProgress progress;
  };
  // Runs change(). If memory runs out in it, the state of the work is unknown, and nothing is
  // committed from then on.
  template <typename Change>
  void ChangeLocked(const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepLocked(DoneWork work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  BuildProgress ProgressLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the next manifest shall list. Empty if that is nothing new, or if another thread is
  // writing a manifest.
  std::optional<Round> TakeRound() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteManifest(Round& round);
  absl::Status Replace(Round& round) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndRound(const absl::Status& status, double seconds) ABSL_LOCKS_EXCLUDED(mutex_);

  IndexWriter& writer_;
  const FieldRegistry* const fields_;
  const bool publishes_parts_;
  const ReplaceDocuments replace_;
  mutable Mutex mutex_;
  BuildProgress done_ ABSL_GUARDED_BY(mutex_);  // without the watermark
  WatermarkBuilder watermark_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> unlisted_segments_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
