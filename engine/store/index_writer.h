// The writing half of a store: one process at a time. Segments are written concurrently by several
// threads, become visible together at Publish, and are removed again if they never do.
//
// Thread-safe: WriteSegment may be called from any thread; the rest belongs to the owner.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

enum class OpenMode {
  kCreate,     // kAlreadyExists when there is an index
  kAppend,     // kNotFound when there is none; kFailedPrecondition when the settings differ
  kOverwrite,  // the old generation stays visible until Publish replaces it
};

// More concurrent write streams than this make Optane media slower.
inline constexpr int kDefaultConcurrentWriters = 4;

class IndexWriter {
 public:
  // Takes the writer lock (kUnavailable when another process holds it), makes the newest generation
  // durable (its writer may have been killed before it could), and removes files of an earlier
  // writer that no manifest lists. The directory must outlive the writer.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> Open(
      Directory& directory, OpenMode mode, const IndexSettings& settings,
      int max_concurrent_writers = kDefaultConcurrentWriters);
  ~IndexWriter();  // removes segments that were written and not published

  // Writes one segment; waits while max_concurrent_writers others do.
  absl::StatusOr<SegmentFileInfo> WriteSegment(SegmentInput& input);

  // A fact about how the index was built, kept in the manifest from the next Publish on.
  void SetProperty(const std::string& key, std::string value);
  const std::map<std::string, std::string>& next_properties() const { return next_.properties; }

  // Makes everything written since the last Publish the next generation: durable and visible on
  // return.
  absl::Status Publish();

  const Manifest& published() const { return manifest_; }
  const Directory& directory() const { return directory_; }

 private:
  IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock, Manifest manifest,
              Manifest next, int max_concurrent_writers);
  bool HasFreeWriter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return free_writers_ > 0; }

  Directory& directory_;
  const std::unique_ptr<DirectoryLock> lock_;
  Manifest manifest_;  // the newest published generation
  Manifest next_;      // what the next one starts from: the same, or nothing on overwrite
  Mutex mutex_;
  int free_writers_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_segment_id_ ABSL_GUARDED_BY(mutex_);
  std::vector<ManifestSegment> unpublished_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
