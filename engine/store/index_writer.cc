#include "engine/store/index_writer.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "engine/store/recovery.h"
#include "pmem/mutex.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kLockName = "write.lock";

absl::Status CheckMode(OpenMode mode, const Manifest& manifest, const IndexSettings& settings,
                       const std::string& path) {
  const bool exists = manifest.generation > 0;
  if (mode == OpenMode::kCreate && exists) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is already an index in ", path));
  }
  if (mode != OpenMode::kAppend) return absl::OkStatus();
  if (!exists) {
    return MakeStatus(absl::StatusCode::kNotFound, absl::StrCat("no index in ", path));
  }
  const IndexSettings& have = manifest.settings;
  if (have.analyzer != settings.analyzer || have.positions != settings.positions ||
      have.store_text != settings.store_text) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the index in ", path, " was built with --analyzer ",
                     ToAbsl(ToString(have.analyzer)), " --positions ",
                     have.positions ? "on" : "off", " --store ", have.store_text ? "on" : "off",
                     "; what is appended must be built the same way"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<IndexWriter>> IndexWriter::Open(Directory& directory, OpenMode mode,
                                                               const IndexSettings& settings,
                                                               int max_concurrent_writers) {
  PMDEX_ASSIGN_OR_RETURN(auto lock, directory.Lock(kLockName));
  PMDEX_ASSIGN_OR_RETURN(Manifest manifest, LoadManifestOrEmpty(directory));
  PMDEX_RETURN_IF_ERROR(CheckMode(mode, manifest, settings, directory.path()));
  // A writer that was killed may have left its manifest visible, but not yet durable. This one goes
  // on from it and removes what it replaced, so a power cut must not take it back.
  if (manifest.generation > 0) PMDEX_RETURN_IF_ERROR(directory.Sync());
  PMDEX_RETURN_IF_ERROR(RemoveUnlistedFiles(directory, manifest));
  Manifest next = manifest;
  if (mode != OpenMode::kAppend) {
    next.segments.clear();
    next.properties.clear();
  }
  next.settings = settings;
  return std::unique_ptr<IndexWriter>(new IndexWriter(
      directory, std::move(lock), std::move(manifest), std::move(next), max_concurrent_writers));
}

IndexWriter::IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock,
                         Manifest manifest, Manifest next, int max_concurrent_writers)
    : directory_(directory),
      lock_(std::move(lock)),
      manifest_(std::move(manifest)),
      next_(std::move(next)),
      free_writers_(std::max(1, max_concurrent_writers)),
      next_segment_id_(manifest_.next_segment_id) {}

IndexWriter::~IndexWriter() {
  MutexLock lock(&mutex_);
  for (const ManifestSegment& segment : unpublished_) {
    directory_.Remove(SegmentFileName(segment.id)).IgnoreError();  // recovery would, next time
  }
}

absl::StatusOr<SegmentFileInfo> IndexWriter::WriteSegment(SegmentInput& input) {
  uint64_t id;
  {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &IndexWriter::HasFreeWriter);
    --free_writers_;
    id = next_segment_id_++;
  }
  auto info = pmdex::WriteSegment(directory_, id, input);
  MutexLock lock(&mutex_);
  ++free_writers_;
  if (info.ok()) {
    ManifestSegment segment;
    segment.id = id;
    segment.file_bytes = info->file_bytes;
    segment.header_crc = info->header_crc;
    segment.doc_count = info->doc_count;
    unpublished_.push_back(segment);
  }
  return info;
}

void IndexWriter::SetProperty(const std::string& key, std::string value) {
  next_.properties[key] = std::move(value);
}

absl::Status IndexWriter::Publish() {
  MutexLock lock(&mutex_);
  Manifest manifest = next_;
  manifest.generation = manifest_.generation + 1;
  manifest.next_segment_id = next_segment_id_;
  std::sort(unpublished_.begin(), unpublished_.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  manifest.segments.insert(manifest.segments.end(), unpublished_.begin(), unpublished_.end());
  // From here on a manifest that lists them may exist, even if publishing fails: recovery decides.
  unpublished_.clear();
  PMDEX_RETURN_IF_ERROR(PublishManifest(directory_, manifest));
  manifest_ = std::move(manifest);
  next_ = manifest_;
  // The generation stands whatever becomes of the old files: the next writer tries again.
  RemoveUnlistedFiles(directory_, manifest_).IgnoreError();
  return absl::OkStatus();
}

}  // namespace pmdex
