// Writes an index. Only one process can have a writer of an index at a time. Several threads may
// write segments at the same time. All of them become visible to readers at Publish; segments that
// were never published are removed.
//
// A long build makes its work durable before Publish. It calls StartBuild once, and Checkpoint from
// time to time. Each Checkpoint publishes a manifest that lists the segments so far as pending,
// with the progress of the build. Readers do not see pending segments. After a crash OpenToResume
// goes on with them.
//
// Any thread may call WriteSegment. Only one thread at a time may call Checkpoint. No other
// function may run at the same time as these.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/manifest.h"
#include "engine/store/own_files.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

// The property that says what the last finished build was: EncodeBuild(its mode, its options).
inline constexpr char kBuildProperty[] = "build";
std::string EncodeBuild(OpenMode mode, const std::string& options);

class IndexWriter {
 public:
  // Takes the writer lock (kUnavailable when another process holds it), makes the newest generation
  // durable (its writer may have been killed before it could), and removes files of an earlier
  // writer that no manifest lists. kDataLoss when the newest manifest is damaged, but under
  // kOverwrite. kFailedPrecondition, before anything is changed, when the directory holds other
  // things than an index (own_files.h). New files get the group and the mode of the newest manifest
  // (Directory::TakeAccessOf); a mode that the directory was opened with goes to the whole index
  // instead. The directory must outlive the writer.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> Open(Directory& directory, OpenMode mode,
                                                           const IndexSettings& settings);
  // The same for whoever wants a build with these options to be done, whatever became of it before:
  // goes on with the unfinished build, or starts one as Open would (under kCreate also when nothing
  // is there), or finds it finished (is_built). `mode` kCreate stands for any mode.
  // kFailedPrecondition when another build is unfinished; kDataLoss when its segments are damaged.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenToResume(Directory& directory,
                                                                   OpenMode mode,
                                                                   const std::string& options,
                                                                   const IndexSettings& settings);
  ~IndexWriter();  // removes segments that were written and neither published nor checkpointed

  // The build that Publish will finish: one that OpenToResume goes on with, or that StartBuild
  // began.
  const std::optional<PendingBuild>& build() const { return build_; }
  // True if OpenToResume found that the build is finished.
  bool is_built() const { return is_built_; }
  // An unfinished build with pending segments that this writer does not go on with. StartBuild or
  // Publish drops it.
  const std::optional<PendingBuild>& dropped() const { return dropped_; }

  // Begins a build, or begins it anew: all segments that it has written are then dropped. Durable
  // on return, so that OpenToResume always knows which build was begun.
  absl::Status StartBuild(const std::string& options);
  // Adds segments that were written to the pending build, and replaces its progress. Durable on
  // return. Other threads may write segments meanwhile. Requires build().
  absl::Status Checkpoint(std::span<const uint64_t> segment_ids, std::vector<std::byte> progress);

  // Writes one segment. Waits while max_concurrent_writers other threads write.
  absl::StatusOr<SegmentFileInfo> WriteSegment(SegmentInput& input);

  // Sets a property of the manifest, from the next Publish on.
  void SetProperty(const std::string& key, std::string value);
  const std::map<std::string, std::string>& next_properties() const { return next_.properties; }

  // Makes all segments since the last Publish, pending ones included, part of the next generation.
  // Durable and visible on return. After StartBuild, Checkpoint or Publish has returned an error,
  // all three return it again; only the next writer finds out if that generation was published.
  absl::Status Publish();

  const Manifest& published() const { return manifest_; }
  const Directory& directory() const { return directory_; }

 private:
  IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock, Manifest manifest);
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenLocked(Directory& directory,
                                                                 OpenMode mode);
  absl::Status ApplyModeToIndex();
  absl::Status CleanUp();
  absl::Status Begin(OpenMode mode, const IndexSettings& settings);
  absl::Status TakeUp(const IndexSettings& settings);
  uint64_t NextGeneration() const;
  absl::Status PublishGeneration(const Manifest& manifest);

  Directory& directory_;
  const std::unique_ptr<DirectoryLock> lock_;
  TakenNames taken_;   // after recovery
  Manifest manifest_;  // the newest generation, with its pending build
  Manifest next_;      // to which the next Publish adds: manifest_, or nothing with kOverwrite
  OpenMode mode_ = OpenMode::kCreate;
  absl::Status publish_status_;  // the first error of StartBuild, Checkpoint or Publish
  std::optional<PendingBuild> build_;
  std::optional<PendingBuild> dropped_;
  bool is_built_ = false;
  Mutex mutex_;
  uint64_t next_segment_id_ ABSL_GUARDED_BY(mutex_);
  std::vector<ManifestSegment> unpublished_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
