// The writing half of a store: one process at a time. Segments are written concurrently by several
// threads, become visible together at Publish, and are removed again if they never do.
//
// A long build makes its work durable before that, in steps: StartBuild, then any number of
// Checkpoints, each a manifest that lists the segments so far as pending, with the build's
// progress. Readers do not see them; after a crash OpenToResume takes them up again.
//
// Thread-safe: WriteSegment may be called from any thread, Checkpoint from one at a time; the rest
// belongs to the owner, while nobody writes or checkpoints.
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

// More concurrent write streams than this make Optane media slower.
inline constexpr int kDefaultConcurrentWriters = 4;

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
  static absl::StatusOr<std::unique_ptr<IndexWriter>> Open(
      Directory& directory, OpenMode mode, const IndexSettings& settings,
      int max_concurrent_writers = kDefaultConcurrentWriters);
  // The same for whoever wants a build with these options to be done, whatever became of it before:
  // goes on with the unfinished build, or starts one as Open would (under kCreate also when nothing
  // is there), or finds it finished (is_built). `mode` kCreate stands for any mode.
  // kFailedPrecondition when another build is unfinished; kDataLoss when its segments are damaged.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenToResume(
      Directory& directory, OpenMode mode, const std::string& options,
      const IndexSettings& settings, int max_concurrent_writers = kDefaultConcurrentWriters);
  ~IndexWriter();  // removes segments that were written and neither published nor checkpointed

  // The build that Publish will finish: one that was taken up, or that StartBuild began.
  const std::optional<PendingBuild>& build() const { return build_; }
  // Found by OpenToResume: the last finished build is the one that was asked for.
  bool is_built() const { return is_built_; }
  // An unfinished build with durable work that this writer replaces; StartBuild or Publish drops
  // it.
  const std::optional<PendingBuild>& dropped() const { return dropped_; }

  // Begins a build: durable on return, so that a resume after a crash is never ambiguous. Begins it
  // anew when it has begun already: what it has written, checkpointed or not, is dropped.
  absl::Status StartBuild(const std::string& options);
  // Makes segments that were written (by id) and the progress that comes with them part of the
  // pending build: durable on return. Other segments may be being written. Requires build().
  absl::Status Checkpoint(std::span<const uint64_t> segment_ids, std::vector<std::byte> progress);

  // Writes one segment; waits while max_concurrent_writers others do.
  absl::StatusOr<SegmentFileInfo> WriteSegment(SegmentInput& input);

  // A fact about how the index was built, kept in the manifest from the next Publish on.
  void SetProperty(const std::string& key, std::string value);
  const std::map<std::string, std::string>& next_properties() const { return next_.properties; }

  // Makes everything written since the last Publish the next generation, and the pending build with
  // it: durable and visible on return. After an error of StartBuild, Checkpoint or Publish all
  // three return it again, and what became of the generation is for the next writer to find out.
  absl::Status Publish();

  const Manifest& published() const { return manifest_; }
  const Directory& directory() const { return directory_; }

 private:
  IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock, Manifest manifest,
              int max_concurrent_writers);
  static absl::StatusOr<std::unique_ptr<IndexWriter>> OpenLocked(Directory& directory,
                                                                 OpenMode mode,
                                                                 int max_concurrent_writers);
  absl::Status ApplyModeToIndex();
  absl::Status CleanUp();
  absl::Status Begin(OpenMode mode, const IndexSettings& settings);
  absl::Status TakeUp(const IndexSettings& settings);
  uint64_t NextGeneration() const;
  absl::Status PublishGeneration(const Manifest& manifest);
  bool HasFreeWriter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return free_writers_ > 0; }

  Directory& directory_;
  const std::unique_ptr<DirectoryLock> lock_;
  TakenNames taken_;   // after recovery; some may be of files that are not ours
  Manifest manifest_;  // the newest generation, with what is pending
  Manifest next_;      // what the next visible one starts from: the same, or nothing on overwrite
  OpenMode mode_ = OpenMode::kCreate;
  absl::Status publish_status_;  // the first failure to publish anything
  std::optional<PendingBuild> build_;
  std::optional<PendingBuild> dropped_;
  bool is_built_ = false;
  Mutex mutex_;
  int free_writers_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_segment_id_ ABSL_GUARDED_BY(mutex_);
  std::vector<ManifestSegment> unpublished_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
