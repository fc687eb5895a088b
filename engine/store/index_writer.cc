#include "engine/store/index_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/placement/segment_converter.h"
#include "engine/store/recovery.h"
#include "engine/store/writer_checks.h"
#include "pmem/check.h"
#include "pmem/mutex.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

bool InOrderOfIds(const ManifestSegment& a, const ManifestSegment& b) {
  return a.id < b.id;
}

absl::Status TakeAccessOf(const std::string& manifest, Directory& directory) {
  if (manifest.empty()) return absl::OkStatus();
  const absl::Status taken = directory.TakeAccessOf(manifest);
  return absl::IsNotFound(taken) ? absl::OkStatus() : taken;
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
  auto writer = std::unique_ptr<IndexWriter>(
      new IndexWriter(directory, std::move(lock), std::move(manifest)));
  PMDEX_RETURN_IF_ERROR(writer->places_.OpenListed(writer->manifest_));
  return writer;
}

// Removes the files that earlier writers left. Names of files that stay are not used.
absl::Status IndexWriter::CleanUp() {
  PMDEX_RETURN_IF_ERROR(places_.RemoveUnlisted(manifest_));
  PMDEX_ASSIGN_OR_RETURN(taken_, places_.ReadTaken());
  ChoosePlaces();
  return manifest_.generation == 0 ? absl::OkStatus() : places_.ApplyMode(manifest_);
}

void IndexWriter::ChoosePlaces() {
  std::vector<ManifestSegment> counted;
  const auto count = [&counted](const ManifestSegment& segment) {
    if (segment.tier == Tier::kUncompressed) counted.push_back(segment);
  };
  std::for_each(next_.segments.begin(), next_.segments.end(), count);
  const auto pending = manifest_.PendingSegments();
  std::for_each(pending.begin(), pending.end(), count);
  choice_.Reset(places_.UncompressedPlaces(), counted);
}

absl::Status IndexWriter::UsePlaces(const PlacementOptions& options) {
  const bool keep_others = mode_ == OpenMode::kAppend || manifest_.HasPublishedParts();
  PMDEX_RETURN_IF_ERROR(places_.Use(options, keep_others));
  tier_ = options.tier;
  now_s_ = options.now_s;
  // A writer that died before it listed a place, or an index that is gone, may have left files.
  PMDEX_RETURN_IF_ERROR(places_.RemoveUnlisted(manifest_));
  places_.DropRetired(manifest_);
  ChoosePlaces();
  // A build that was taken up goes on to write without StartBuild.
  if (!build_.has_value() || places_.listed() == manifest_.places) return absl::OkStatus();
  return Checkpoint({}, build_->progress);
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
                                     manifest.PendingDocuments(), " documents so far)"));
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
      places_(directory),
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
    next_.copies.clear();
    next_.properties.clear();
    next_.fields.clear();
  }
  next_.properties.erase(kPartsFromProperty);
  next_.settings = settings;
  is_compressed_ = !next_.segments.empty() && AreAllCompressed(next_.segments);
  return absl::OkStatus();
}

absl::Status IndexWriter::TakeUp(const IndexSettings& settings) {
  mode_ = manifest_.pending->mode;
  if (mode_ == OpenMode::kAppend) {
    PMDEX_RETURN_IF_ERROR(CheckSettings(manifest_.settings, settings, directory_.path()));
  }
  PMDEX_RETURN_IF_ERROR(CleanUp());
  PMDEX_RETURN_IF_ERROR(CheckPendingSegments(places_, manifest_.pending->segments));
  build_ = manifest_.pending;
  if (mode_ != OpenMode::kAppend && !manifest_.HasPublishedParts()) {
    next_.segments.clear();
    next_.copies.clear();
    next_.properties.clear();
    next_.fields.clear();
  }
  next_.properties.erase(kPartsFromProperty);
  next_.settings = settings;
  is_compressed_ = !(next_.segments.empty() && build_->segments.empty()) &&
                   AreAllCompressed(next_.segments) && AreAllCompressed(build_->segments);
  return absl::OkStatus();
}

IndexWriter::~IndexWriter() {
  MutexLock lock(&mutex_);
  for (const ManifestSegment& segment : unpublished_) RemoveFile(segment);
  for (const ManifestSegment& segment : converted_) RemoveFile(segment);
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
  if (publish_status_.ok()) publish_status_ = places_.SyncNew(manifest_, manifest);
  if (publish_status_.ok()) publish_status_ = PublishManifest(directory_, manifest);
  if (!publish_status_.ok()) return publish_status_;
  manifest_ = manifest;
  places_.ReleaseDropped();
  return publish_status_;
}

absl::Status IndexWriter::StartBuild(const std::string& options) {
  Manifest manifest = manifest_;
  manifest.generation = NextGeneration();
  if (mode_ == OpenMode::kCreate) manifest.settings = next_.settings;
  manifest.places = places_.listed();
  manifest.properties.erase(kPartsFromProperty);
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
  places_.RemoveUnlisted(manifest_).IgnoreError();  // the next writer tries again
  return absl::OkStatus();
}

void IndexWriter::AddToBuild(std::span<const uint64_t> segment_ids, PendingBuild& build) {
  const auto listed = std::stable_partition(
      unpublished_.begin(), unpublished_.end(), [&](const ManifestSegment& segment) {
        return std::find(segment_ids.begin(), segment_ids.end(), segment.id) == segment_ids.end();
      });
  build.segments.insert(build.segments.end(), listed, unpublished_.end());
  unpublished_.erase(listed, unpublished_.end());
  std::sort(build.segments.begin(), build.segments.end(), InOrderOfIds);
}

absl::Status IndexWriter::PublishBuild(Manifest manifest, PendingBuild build) {
  manifest.places = places_.listed();
  manifest.generation = NextGeneration();
  manifest.pending = build;
  const uint64_t replaced = manifest_.generation;
  PMDEX_RETURN_IF_ERROR(PublishGeneration(manifest));
  // Remove the old manifest only, because other threads are writing segments.
  directory_.Remove(ManifestFileName(replaced)).IgnoreError();
  build_ = std::move(build);
  return absl::OkStatus();
}

absl::Status IndexWriter::Checkpoint(std::span<const uint64_t> segment_ids,
                                     std::vector<std::byte> progress) {
  PMDEX_CHECK(build_.has_value());
  PendingBuild build = *build_;
  build.progress = std::move(progress);
  Manifest manifest = manifest_;
  {
    MutexLock lock(&mutex_);
    manifest.next_segment_id = next_segment_id_;
    AddToBuild(segment_ids, build);
  }
  return PublishBuild(std::move(manifest), std::move(build));
}

absl::Status IndexWriter::PublishPart(std::span<const uint64_t> segment_ids,
                                      std::vector<std::byte> progress, FieldSpecs fields) {
  PMDEX_CHECK(build_.has_value());
  PendingBuild build = *build_;
  build.progress = std::move(progress);
  Manifest manifest = next_;
  manifest.fields = std::move(fields);
  {
    MutexLock lock(&mutex_);
    manifest.next_segment_id = next_segment_id_;
    AddToBuild(segment_ids, build);
  }
  const std::vector<ManifestSegment> part = std::exchange(build.segments, {});
  const uint64_t from = std::min(manifest_.PublishedPartsFrom().value_or(UINT64_MAX),
                                 part.empty() ? UINT64_MAX : part.front().id);
  if (from != UINT64_MAX) manifest.properties[kPartsFromProperty] = absl::StrCat(from);
  manifest.segments.insert(manifest.segments.end(), part.begin(), part.end());
  PMDEX_RETURN_IF_ERROR(deletions_.Write(places_, taken_, manifest));
  PMDEX_RETURN_IF_ERROR(PublishBuild(std::move(manifest), std::move(build)));
  deletions_.Clear();
  next_ = manifest_;
  next_.pending.reset();
  next_.properties.erase(kPartsFromProperty);
  return absl::OkStatus();
}

absl::Status IndexWriter::PublishSegments() {
  MutexLock lock(&mutex_);
  PMDEX_RETURN_IF_ERROR(publish_status_);
  Manifest manifest = next_;
  manifest.places = places_.listed();
  manifest.generation = NextGeneration();
  manifest.next_segment_id = next_segment_id_;
  std::vector<ManifestSegment> added = unpublished_;
  if (build_.has_value()) {
    added.insert(added.end(), build_->segments.begin(), build_->segments.end());
    manifest.properties[kBuildProperty] = EncodeBuild(build_->mode, build_->options);
  }
  std::sort(added.begin(), added.end(), InOrderOfIds);
  manifest.segments.insert(manifest.segments.end(), added.begin(), added.end());
  PMDEX_RETURN_IF_ERROR(deletions_.Write(places_, taken_, manifest));
  // From here on a manifest that lists them may exist, even if publishing fails: recovery decides.
  unpublished_.clear();
  converted_.clear();
  const uint64_t replaced = manifest_.generation;
  PMDEX_RETURN_IF_ERROR(PublishGeneration(manifest));
  next_ = manifest_;
  deletions_.Clear();
  build_.reset();
  // This writer loaded or wrote it, so nobody has to read again whose file it is.
  if (replaced > 0) directory_.Remove(ManifestFileName(replaced)).IgnoreError();
  // The generation is published even if old files cannot be removed. The next writer tries again.
  places_.RemoveUnlisted(manifest_).IgnoreError();
  return absl::OkStatus();
}

std::vector<ManifestSegment> IndexWriter::NextSegments() {
  MutexLock lock(&mutex_);
  std::vector<ManifestSegment> added = unpublished_;
  if (build_.has_value()) {
    added.insert(added.end(), build_->segments.begin(), build_->segments.end());
  }
  std::sort(added.begin(), added.end(), InOrderOfIds);
  std::vector<ManifestSegment> segments = next_.segments;
  segments.insert(segments.end(), added.begin(), added.end());
  return segments;
}

absl::StatusOr<LiveSegment> IndexWriter::OpenFile(const ManifestSegment& listed) const {
  PMDEX_ASSIGN_OR_RETURN(const Directory* directory, FindPlaceOf(listed));
  LiveSegment next;
  next.listed_id = listed.id;
  PMDEX_ASSIGN_OR_RETURN(next.segment, OpenListedSegment(*directory, listed));
  PMDEX_ASSIGN_OR_RETURN(next.live_docs, deletions_.Find(*directory, listed));
  return next;
}

absl::StatusOr<uint64_t> IndexWriter::Delete(uint64_t segment_id, std::span<const DocId> docs) {
  const std::vector<ManifestSegment> segments = NextSegments();
  const auto listed = std::find_if(
      segments.begin(), segments.end(),
      [segment_id](const ManifestSegment& segment) { return segment.id == segment_id; });
  if (listed == segments.end()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat("the index in ", directory_.path(), " has no segment ",
                                   SegmentFileName(segment_id)));
  }
  PMDEX_ASSIGN_OR_RETURN(const Directory* directory, FindPlaceOf(*listed));
  return deletions_.Add(*directory, *listed, docs);
}

}  // namespace pmdex
