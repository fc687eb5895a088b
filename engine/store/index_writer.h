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
#include "absl/synchronization/mutex.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/manifest.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

enum class OpenMode {
  kCreate,     // kAlreadyExists when there is an index
  kAppend,     // kNotFound when there is none; kInvalidArgument when the settings differ
  kOverwrite,  // the old generation stays visible until Publish replaces it
};

class IndexWriter {
 public:
  // Takes the writer lock (kUnavailable when another process holds it) and removes files that no
  // manifest lists. The directory must outlive the writer.
  static absl::StatusOr<std::unique_ptr<IndexWriter>> Open(Directory& directory, OpenMode mode,
                                                           const IndexSettings& settings);
  ~IndexWriter();  // removes segments that were written and not published

  // Writes one segment; at most `max_concurrent_writers` run at a time, others wait.
  absl::StatusOr<SegmentFileInfo> WriteSegment(SegmentInput& input);

  void SetProperty(std::string key, std::string value);

  // Makes everything written so far the next generation: durable and visible on return.
  absl::Status Publish();

  const Manifest& published() const { return manifest_; }

 private:
  IndexWriter(Directory& directory, Manifest manifest, std::unique_ptr<DirectoryLock> lock,
              OpenMode mode);

  Directory& directory_;
  std::unique_ptr<DirectoryLock> lock_;
  Manifest manifest_;     // the newest published generation
  bool replace_ = false;  // overwrite: the next generation starts empty
  absl::Mutex mutex_;
  uint64_t next_segment_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<ManifestSegment> pending_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> properties_;
  int writing_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace pmdex
