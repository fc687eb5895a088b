#include "engine/store/index_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment.h"
#include "engine/store/recovery.h"
#include "pmem/check.h"
#include "pmem/mutex.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

bool InOrderOfIds(const ManifestSegment& a, const ManifestSegment& b) {
  return a.id < b.id;
}

absl::Status CheckSettings(const IndexSettings& have, const IndexSettings& settings,
                           const std::string& path) {
  if (have.analyzer == settings.analyzer && have.positions == settings.positions &&
      have.store_text == settings.store_text) {
    return absl::OkStatus();
  }
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat("the index in ", path, " was built with --analyzer ",
                   ToAbsl(ToString(have.analyzer)), " --positions ", have.positions ? "on" : "off",
                   " --store ", have.store_text ? "on" : "off",
                   "; what is appended must be built the same way"));
}

std::string Describe(const PendingBuild& build) {
  return absl::StrCat("an unfinished build (", ToAbsl(ToString(build.mode)), ", ",
                      build.doc_count(), " documents so far, of ", build.options, ")");
}

absl::Status CheckMode(OpenMode mode, const Manifest& manifest, const IndexSettings& settings,
                       const std::string& path) {
  const bool pending = manifest.HasPendingWork();
  if (mode == OpenMode::kCreate && manifest.IsVisible()) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is already an index in ", path));
  }
  if (mode == OpenMode::kCreate && pending) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is already ", Describe(*manifest.pending), " in ", path));
  }
  if (mode != OpenMode::kAppend) return absl::OkStatus();
  if (!manifest.IsVisible()) {
    return MakeStatus(
        absl::StatusCode::kNotFound,
        absl::StrCat("no index in ", path, pending ? ", only " + Describe(*manifest.pending) : ""));
  }
  return CheckSettings(manifest.settings, settings, path);
}

absl::Status TakeAccessOf(const std::string& manifest, Directory& directory) {
  if (manifest.empty()) return absl::OkStatus();
  const absl::Status taken = directory.TakeAccessOf(manifest);
  return absl::IsNotFound(taken) ? absl::OkStatus() : taken;
}

// Recovery keeps the files that a manifest lists. This checks that they exist and are those that
// were listed, before anything is added to the build.
absl::Status CheckSegments(const Directory& directory,
                           const std::vector<ManifestSegment>& segments) {
  for (const ManifestSegment& listed : segments) {
    const std::string name = SegmentFileName(listed.id);
    auto file = directory.Open(name);
    if (absl::IsResourceExhausted(file.status())) return file.status();
    if (!file.ok()) {
      return DataLoss(absl::StrCat("a segment of the unfinished build cannot be opened: ",
                                   ToAbsl(Message(file.status()))));
    }
    PMDEX_RETURN_IF_ERROR(
        Segment::Open(*std::move(file), name,
                      SegmentExpectation{listed.file_bytes, listed.header_crc, listed.id})
            .status());
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeBuild(OpenMode mode, const std::string& options) {
  return absl::StrCat(mode == OpenMode::kAppend ? "append " : "", options);
}

absl::StatusOr<std::unique_ptr<IndexWriter>> IndexWriter::OpenLocked(Directory& directory,
                                                                     OpenMode mode) {
  PMDEX_ASSIGN_OR_RETURN(const DirectoryContent content, ReadDirectoryContent(directory));
  PMDEX_RETURN_IF_ERROR(CheckPlaceForIndex(content, directory));
  if (mode == OpenMode::kAppend && content.kind == DirectoryKind::kEmpty) {
    return MakeStatus(absl::StatusCode::kNotFound, absl::StrCat("no index in ", directory.path()));
  }
  // Before the lock, which is a file. If the manifest is gone, another writer has replaced it.
  PMDEX_RETURN_IF_ERROR(TakeAccessOf(content.newest_manifest, directory));
  PMDEX_ASSIGN_OR_RETURN(auto lock, directory.Lock(kWriterLockName));
  std::vector<absl::Status> passed_over;
  PMDEX_ASSIGN_OR_RETURN(Manifest manifest, LoadManifestOrEmpty(directory, passed_over));
  // A reader may use an older manifest if the newest is damaged. A writer may not: it would remove
  // the segments that only the newest manifest lists.
  if (!passed_over.empty() && mode != OpenMode::kOverwrite) return passed_over.front();
  // A writer that was killed may have left a manifest that is visible but not durable. This writer
  // removes the files that the manifest replaced, so the manifest must be durable first.
  if (manifest.generation > 0) {
    PMDEX_RETURN_IF_ERROR(TakeAccessOf(ManifestFileName(manifest.generation), directory));
    PMDEX_RETURN_IF_ERROR(directory.Sync());
  }
  return std::unique_ptr<IndexWriter>(
      new IndexWriter(directory, std::move(lock), std::move(manifest)));
}

// Gives all files of the index the mode that the directory was opened with.
absl::Status IndexWriter::ApplyModeToIndex() {
  if (manifest_.generation == 0) return absl::OkStatus();
  std::vector<std::string> names = {std::string(kWriterLockName),
                                    ManifestFileName(manifest_.generation)};
  for (const ManifestSegment& segment : manifest_.segments) {
    names.push_back(SegmentFileName(segment.id));
  }
  for (const ManifestSegment& segment : manifest_.PendingSegments()) {
    names.push_back(SegmentFileName(segment.id));
  }
  for (const std::string& name : names) {
    absl::Status applied = directory_.ApplyMode(name);
    // Readers report a missing segment.
    if (!applied.ok() && !absl::IsNotFound(applied)) return applied;
  }
  return directory_.ApplyMode("");
}

// Removes the files that earlier writers left. Names of files that stay are not used.
absl::Status IndexWriter::CleanUp() {
  PMDEX_RETURN_IF_ERROR(RemoveUnlistedFiles(directory_, manifest_));
  PMDEX_ASSIGN_OR_RETURN(taken_, ReadTakenNames(directory_));
  return ApplyModeToIndex();
}

absl::StatusOr<std::unique_ptr<IndexWriter>> IndexWriter::Open(Directory& directory, OpenMode mode,
                                                               const IndexSettings& settings) {
  PMDEX_ASSIGN_OR_RETURN(auto writer, OpenLocked(directory, mode));
  PMDEX_RETURN_IF_ERROR(writer->Begin(mode, settings));
  return writer;
}

absl::StatusOr<std::unique_ptr<IndexWriter>> IndexWriter::OpenToResume(
    Directory& directory, OpenMode mode, const std::string& options,
    const IndexSettings& settings) {
  PMDEX_ASSIGN_OR_RETURN(auto writer, OpenLocked(directory, mode));
  const Manifest& manifest = writer->manifest_;
  if (manifest.pending.has_value()) {
    const PendingBuild& pending = *manifest.pending;
    const bool same_kind = mode == OpenMode::kCreate || IsSameKind(mode, pending.mode);
    if (same_kind && pending.options == options) {
      PMDEX_RETURN_IF_ERROR(writer->TakeUp(settings));
      return writer;
    }
    if (manifest.HasPendingWork()) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat("another build is unfinished in ", directory.path(), ": ",
                                     pending.options, " (", ToAbsl(ToString(pending.mode)), ", ",
                                     pending.doc_count(), " documents so far)"));
    }
  }
  const auto built = manifest.properties.find(kBuildProperty);
  if (manifest.IsVisible() && built != manifest.properties.end()) {
    writer->is_built_ =
        built->second == EncodeBuild(mode, options) ||
        (mode == OpenMode::kCreate && built->second == EncodeBuild(OpenMode::kAppend, options));
    if (writer->is_built_) {
      // The last writer may have been killed after it published and before it cleaned up.
      PMDEX_RETURN_IF_ERROR(writer->CleanUp());
      return writer;
    }
  }
  PMDEX_RETURN_IF_ERROR(writer->Begin(mode, settings));
  return writer;
}

IndexWriter::IndexWriter(Directory& directory, std::unique_ptr<DirectoryLock> lock,
                         Manifest manifest)
    : directory_(directory),
      lock_(std::move(lock)),
      manifest_(std::move(manifest)),
      next_(manifest_),
      next_segment_id_(manifest_.next_segment_id) {
  next_.pending.reset();
}

absl::Status IndexWriter::Begin(OpenMode mode, const IndexSettings& settings) {
  PMDEX_RETURN_IF_ERROR(CheckMode(mode, manifest_, settings, directory_.path()));
  PMDEX_RETURN_IF_ERROR(CleanUp());
  mode_ = mode == OpenMode::kOverwrite && !manifest_.IsVisible() ? OpenMode::kCreate : mode;
  if (manifest_.HasPendingWork()) dropped_ = manifest_.pending;
  if (mode != OpenMode::kAppend) {
    next_.segments.clear();
    next_.properties.clear();
  }
  next_.settings = settings;
  return absl::OkStatus();
}

absl::Status IndexWriter::TakeUp(const IndexSettings& settings) {
  mode_ = manifest_.pending->mode;
  if (mode_ == OpenMode::kAppend) {
    PMDEX_RETURN_IF_ERROR(CheckSettings(manifest_.settings, settings, directory_.path()));
  }
  PMDEX_RETURN_IF_ERROR(CleanUp());
  PMDEX_RETURN_IF_ERROR(CheckSegments(directory_, manifest_.pending->segments));
  build_ = manifest_.pending;
  if (mode_ != OpenMode::kAppend) {
    next_.segments.clear();
    next_.properties.clear();
  }
  next_.settings = settings;
  return absl::OkStatus();
}

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
    while (taken_.segment_ids.contains(next_segment_id_)) ++next_segment_id_;
    if (next_segment_id_ >= kSegmentIdLimit) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat("no segment id is left in ", directory_.path(),
                                     " (hint: index into a new directory)"));
    }
    id = next_segment_id_++;
  }
  auto info = pmdex::WriteSegment(directory_, id, input);
  if (info.ok()) {
    MutexLock lock(&mutex_);
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

// A generation above those of all files with the name of a manifest, so that readers try it first.
// If there is none, the first free generation.
uint64_t IndexWriter::NextGeneration() const {
  const uint64_t newest_taken = taken_.generations.empty() ? 0 : *taken_.generations.rbegin();
  const uint64_t above_all = std::max(manifest_.generation, newest_taken) + 1;
  if (above_all <= kMaxGeneration) return above_all;
  uint64_t generation = manifest_.generation + 1;
  while (taken_.generations.contains(generation)) ++generation;
  return generation;
}

// After an error it is unknown which generation is the newest, so this writer publishes no more.
absl::Status IndexWriter::PublishGeneration(const Manifest& manifest) {
  if (publish_status_.ok()) publish_status_ = PublishManifest(directory_, manifest);
  if (publish_status_.ok()) manifest_ = manifest;
  return publish_status_;
}

absl::Status IndexWriter::StartBuild(const std::string& options) {
  Manifest manifest = manifest_;
  manifest.generation = NextGeneration();
  if (mode_ == OpenMode::kCreate) manifest.settings = next_.settings;
  manifest.pending.emplace();
  manifest.pending->mode = mode_;
  manifest.pending->options = options;
  {
    MutexLock lock(&mutex_);
    manifest.next_segment_id = next_segment_id_;
    unpublished_.clear();  // no manifest lists them
  }
  PMDEX_RETURN_IF_ERROR(PublishGeneration(manifest));
  build_ = manifest_.pending;
  RemoveUnlistedFiles(directory_, manifest_).IgnoreError();  // the next writer tries again
  return absl::OkStatus();
}

absl::Status IndexWriter::Checkpoint(std::span<const uint64_t> segment_ids,
                                     std::vector<std::byte> progress) {
  PMDEX_CHECK(build_.has_value());
  PendingBuild build = *build_;
  build.progress = std::move(progress);
  Manifest manifest = manifest_;
  manifest.generation = NextGeneration();
  {
    MutexLock lock(&mutex_);
    manifest.next_segment_id = next_segment_id_;
    // From here on a manifest that lists them may exist, even if publishing fails.
    const auto listed = std::stable_partition(
        unpublished_.begin(), unpublished_.end(), [&](const ManifestSegment& segment) {
          return std::find(segment_ids.begin(), segment_ids.end(), segment.id) == segment_ids.end();
        });
    build.segments.insert(build.segments.end(), listed, unpublished_.end());
    unpublished_.erase(listed, unpublished_.end());
  }
  std::sort(build.segments.begin(), build.segments.end(), InOrderOfIds);
  manifest.pending = build;
  const uint64_t replaced = manifest_.generation;
  PMDEX_RETURN_IF_ERROR(PublishGeneration(manifest));
  // Remove the old manifest only, because other threads are writing segments.
  directory_.Remove(ManifestFileName(replaced)).IgnoreError();
  build_ = std::move(build);
  return absl::OkStatus();
}

absl::Status IndexWriter::Publish() {
  MutexLock lock(&mutex_);
  Manifest manifest = next_;
  manifest.generation = NextGeneration();
  manifest.next_segment_id = next_segment_id_;
  if (build_.has_value()) {
    unpublished_.insert(unpublished_.end(), build_->segments.begin(), build_->segments.end());
    manifest.properties[kBuildProperty] = EncodeBuild(build_->mode, build_->options);
  }
  std::sort(unpublished_.begin(), unpublished_.end(), InOrderOfIds);
  manifest.segments.insert(manifest.segments.end(), unpublished_.begin(), unpublished_.end());
  // From here on a manifest that lists them may exist, even if publishing fails: recovery decides.
  unpublished_.clear();
  PMDEX_RETURN_IF_ERROR(PublishGeneration(manifest));
  next_ = manifest_;
  build_.reset();
  // The generation is published even if old files cannot be removed. The next writer tries again.
  RemoveUnlistedFiles(directory_, manifest_).IgnoreError();
  return absl::OkStatus();
}

}  // namespace pmdex
