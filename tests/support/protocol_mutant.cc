#include "tests/support/protocol_mutant.h"

#include <utility>

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/known_files/known_files_format.h"
#include "engine/store/manifest.h"

namespace pmdex {

namespace {

bool IsManifest(std::string_view name) {
  return name.starts_with("manifest-");
}

bool IsLiveDocs(std::string_view name) {
  return name.starts_with("live-");
}

bool IsKnownFiles(std::string_view name) {
  return name.starts_with("known-files-");
}

}  // namespace

// A file whose writer's verbs may be left out or put off.
class MutantFile final : public WritableFile {
 public:
  MutantFile(MutantDirectory& directory, std::shared_ptr<SimulatedWritableFile> inner,
             std::string name)
      : directory_(directory), inner_(std::move(inner)), name_(std::move(name)) {}

  uint64_t capacity_bytes() const override { return inner_->capacity_bytes(); }
  void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) override {
    inner_->CopyNonTemporal(offset, bytes);
  }
  void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) override;
  absl::Status Drain() override;
  absl::Status Seal(uint64_t length_bytes) override;
  const PersistCounters& counters() const override { return inner_->counters(); }

 private:
  // kNone: there is no such mutation of this kind of file.
  bool Is(ProtocolMutation of_segments, ProtocolMutation of_manifests,
          ProtocolMutation of_live_docs = ProtocolMutation::kNone,
          ProtocolMutation of_known_files = ProtocolMutation::kNone) const {
    const ProtocolMutation wanted = IsManifest(name_)     ? of_manifests
                                    : IsLiveDocs(name_)   ? of_live_docs
                                    : IsKnownFiles(name_) ? of_known_files
                                                          : of_segments;
    return wanted != ProtocolMutation::kNone && directory_.mutation_ == wanted;
  }

  MutantDirectory& directory_;
  const std::shared_ptr<SimulatedWritableFile> inner_;
  const std::string name_;
  int drains_ = 0;
};

void MutantFile::StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) {
  size_t flushed = bytes.size();
  if (Is(ProtocolMutation::kUnflushedSegmentHeaders, ProtocolMutation::kUnflushedManifests,
         ProtocolMutation::kUnflushedLiveDocs, ProtocolMutation::kUnflushedKnownFiles)) {
    flushed = 0;
  } else if (Is(ProtocolMutation::kUnflushedTailOfSegmentHeaders,
                ProtocolMutation::kUnflushedTailOfManifests)) {
    flushed = (offset + bytes.size() - 1) / 64 * 64 - offset;
  }
  inner_->StoreAndFlush(offset, bytes.first(flushed));
  inner_->StoreOnly(offset + flushed, bytes.subspan(flushed));
}

absl::Status MutantFile::Drain() {
  const bool first_of_two = drains_++ == 0 && name_.starts_with("segment-");  // marks have one
  if (Is(ProtocolMutation::kNoDrainOfSegments, ProtocolMutation::kNoDrainOfManifests,
         ProtocolMutation::kNoDrainOfLiveDocs, ProtocolMutation::kNoDrainOfKnownFiles) ||
      Is(ProtocolMutation::kNothingOfSegmentsPersisted, ProtocolMutation::kNone) ||
      Is(ProtocolMutation::kManifestBeforeSegments, ProtocolMutation::kNone,
         ProtocolMutation::kManifestBeforeLiveDocs, ProtocolMutation::kManifestBeforeKnownFiles)) {
    return absl::OkStatus();
  }
  if (first_of_two && Is(ProtocolMutation::kNoDrainBetweenDataAndHeader, ProtocolMutation::kNone)) {
    return absl::OkStatus();
  }
  return inner_->Drain();
}

absl::Status MutantFile::Seal(uint64_t length_bytes) {
  if (Is(ProtocolMutation::kNoSyncOfSegmentFiles, ProtocolMutation::kNoSyncOfManifestFiles,
         ProtocolMutation::kNoSyncOfLiveDocsFiles, ProtocolMutation::kNoSyncOfKnownFiles) ||
      Is(ProtocolMutation::kNothingOfSegmentsPersisted, ProtocolMutation::kNone)) {
    return inner_->SealWithoutSync(length_bytes);
  }
  if (Is(ProtocolMutation::kSegmentsRenamedBeforeSeal,
         ProtocolMutation::kManifestsRenamedBeforeSeal,
         ProtocolMutation::kLiveDocsRenamedBeforeSeal,
         ProtocolMutation::kKnownFilesRenamedBeforeSeal) ||
      Is(ProtocolMutation::kManifestBeforeSegments, ProtocolMutation::kNone,
         ProtocolMutation::kManifestBeforeLiveDocs, ProtocolMutation::kManifestBeforeKnownFiles)) {
    directory_.put_off_[name_] = {inner_, length_bytes, ""};
    return absl::OkStatus();
  }
  return inner_->Seal(length_bytes);
}

absl::StatusOr<std::unique_ptr<WritableFile>> MutantDirectory::Create(std::string_view name,
                                                                      uint64_t capacity_bytes) {
  PMDEX_ASSIGN_OR_RETURN(auto file, inner_.CreateSimulated(name, capacity_bytes));
  last_change_ = Change::kOther;
  return std::make_unique<MutantFile>(*this, std::move(file), std::string(name));
}

absl::Status MutantDirectory::Rename(std::string_view from, std::string_view to) {
  const auto found = put_off_.find(from);
  if (found != put_off_.end() && PutsOff()) {
    found->second.final_name = to;
    return absl::OkStatus();
  }
  if (IsManifest(to) && mutation_ == ProtocolMutation::kOldManifestRemovedBeforeRename) {
    PMDEX_RETURN_IF_ERROR(RemoveManifestBefore(to));
  }
  std::vector<std::string> converted;
  if (IsManifest(to) && mutation_ == ProtocolMutation::kConvertedSegmentsRemovedBeforeSync) {
    PMDEX_ASSIGN_OR_RETURN(converted, ConvertedBy(from));
  }
  PMDEX_RETURN_IF_ERROR(inner_.Rename(from, to));
  for (const std::string& name : converted) PMDEX_RETURN_IF_ERROR(inner_.Remove(name));
  if (IsLiveDocs(to) && mutation_ == ProtocolMutation::kOldLiveDocsRemovedBeforeManifest) {
    PMDEX_RETURN_IF_ERROR(RemoveLiveDocsBefore(to));
  }
  if (IsKnownFiles(to) && mutation_ == ProtocolMutation::kOldKnownFilesRemovedBeforeManifest) {
    PMDEX_RETURN_IF_ERROR(RemoveKnownFilesBefore(to));
  }
  last_change_ = IsManifest(to) ? Change::kManifestRenamed : Change::kOther;
  if (IsManifest(to) && mutation_ == ProtocolMutation::kOldManifestRemovedBeforeSync) {
    PMDEX_RETURN_IF_ERROR(RemoveManifestBefore(to));
  }
  if (found == put_off_.end()) return absl::OkStatus();
  const PutOff put_off = found->second;
  put_off_.erase(found);
  return put_off.file->Seal(put_off.length_bytes);
}

absl::Status MutantDirectory::RemoveManifestBefore(std::string_view name) {
  const uint64_t generation = ParseManifestFileName(name).value();
  const absl::Status removed = inner_.Remove(ManifestFileName(generation - 1));
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

absl::Status MutantDirectory::RemoveLiveDocsBefore(std::string_view name) {
  LiveDocsKey key = ParseLiveDocsFileName(name).value();
  --key.generation;
  const absl::Status removed = inner_.Remove(LiveDocsFileName(key));
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

absl::Status MutantDirectory::RemoveKnownFilesBefore(std::string_view name) {
  const uint64_t number = ParseKnownFilesName(name).value();
  const absl::Status removed = inner_.Remove(KnownFilesName(number - 1));
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

// The files whose segments the next manifest, which is not renamed yet, lists converted: under
// another id in the same position, with as many documents.
absl::StatusOr<std::vector<std::string>> MutantDirectory::ConvertedBy(
    std::string_view new_manifest) const {
  std::vector<std::string> names;
  const auto old = LoadNewestManifest(inner_, nullptr);
  if (absl::IsNotFound(old.status())) return names;
  PMDEX_RETURN_IF_ERROR(old.status());
  PMDEX_ASSIGN_OR_RETURN(const auto file, inner_.Open(new_manifest));
  PMDEX_ASSIGN_OR_RETURN(const Manifest next, DecodeManifest(file->bytes(), new_manifest));
  if (next.segments.size() != old->segments.size()) return names;
  for (size_t i = 0; i < next.segments.size(); ++i) {
    const ManifestSegment& before = old->segments[i];
    const ManifestSegment& after = next.segments[i];
    const bool is_converted = before.id != after.id && before.doc_count == after.doc_count;
    if (is_converted && before.place == 0) names.push_back(SegmentFileName(before.id));
  }
  return names;
}

absl::Status MutantDirectory::Remove(std::string_view name) {
  last_change_ = Change::kRemoved;
  return inner_.Remove(name);
}

absl::StatusOr<std::unique_ptr<Directory>> MutantDirectory::OpenElsewhere(std::string_view path,
                                                                          bool create) const {
  PMDEX_ASSIGN_OR_RETURN(auto inner, inner_.OpenElsewhereSimulated(path, create));
  return std::make_unique<MutantDirectory>(std::move(inner),
                                           PutsOff() ? ProtocolMutation::kNone : mutation_);
}

bool MutantDirectory::LeavesOutSync() const {
  switch (mutation_) {
    case ProtocolMutation::kNoSyncOfPlaces:
      return owned_ != nullptr;
    case ProtocolMutation::kNoDirectorySync:
      return true;
    case ProtocolMutation::kNoDirectorySyncBeforeManifest:
      return last_change_ == Change::kOther && owned_ == nullptr;
    case ProtocolMutation::kNoDirectorySyncAfterManifest:
      return last_change_ == Change::kManifestRenamed;
    default:
      return false;
  }
}

absl::Status MutantDirectory::Sync() {
  const bool published = last_change_ == Change::kManifestRenamed;
  if (LeavesOutSync()) {
    last_change_ = Change::kOther;
    return absl::OkStatus();
  }
  last_change_ = Change::kOther;
  const absl::Status status = inner_.Sync();
  if (mutation_ == ProtocolMutation::kSyncErrorsIgnored) return absl::OkStatus();
  if (!status.ok() || !published) return status;
  return DoWhatWasPutOff();
}

absl::Status MutantDirectory::DoWhatWasPutOff() {
  if (put_off_.empty()) return absl::OkStatus();
  for (auto& [temporary, put_off] : std::exchange(put_off_, {})) {
    PMDEX_RETURN_IF_ERROR(put_off.file->Drain());
    PMDEX_RETURN_IF_ERROR(put_off.file->Seal(put_off.length_bytes));
    PMDEX_RETURN_IF_ERROR(inner_.Rename(temporary, put_off.final_name));
  }
  return inner_.Sync();
}

std::string_view ToString(ProtocolMutation mutation) {
  switch (mutation) {
    case ProtocolMutation::kNone:
      return "None";
    case ProtocolMutation::kNoDrainBetweenDataAndHeader:
      return "NoDrainBetweenDataAndHeader";
    case ProtocolMutation::kNoDrainOfSegments:
      return "NoDrainOfSegments";
    case ProtocolMutation::kNoDrainOfManifests:
      return "NoDrainOfManifests";
    case ProtocolMutation::kUnflushedTailOfSegmentHeaders:
      return "UnflushedTailOfSegmentHeaders";
    case ProtocolMutation::kUnflushedTailOfManifests:
      return "UnflushedTailOfManifests";
    case ProtocolMutation::kUnflushedSegmentHeaders:
      return "UnflushedSegmentHeaders";
    case ProtocolMutation::kUnflushedManifests:
      return "UnflushedManifests";
    case ProtocolMutation::kNoSyncOfSegmentFiles:
      return "NoSyncOfSegmentFiles";
    case ProtocolMutation::kNoSyncOfManifestFiles:
      return "NoSyncOfManifestFiles";
    case ProtocolMutation::kNothingOfSegmentsPersisted:
      return "NothingOfSegmentsPersisted";
    case ProtocolMutation::kNoDirectorySyncBeforeManifest:
      return "NoDirectorySyncBeforeManifest";
    case ProtocolMutation::kNoDirectorySyncAfterManifest:
      return "NoDirectorySyncAfterManifest";
    case ProtocolMutation::kNoDirectorySync:
      return "NoDirectorySync";
    case ProtocolMutation::kNoSyncOfPlaces:
      return "NoSyncOfPlaces";
    case ProtocolMutation::kManifestBeforeSegments:
      return "ManifestBeforeSegments";
    case ProtocolMutation::kSegmentsRenamedBeforeSeal:
      return "SegmentsRenamedBeforeSeal";
    case ProtocolMutation::kManifestsRenamedBeforeSeal:
      return "ManifestsRenamedBeforeSeal";
    case ProtocolMutation::kNoDrainOfLiveDocs:
      return "NoDrainOfLiveDocs";
    case ProtocolMutation::kUnflushedLiveDocs:
      return "UnflushedLiveDocs";
    case ProtocolMutation::kNoSyncOfLiveDocsFiles:
      return "NoSyncOfLiveDocsFiles";
    case ProtocolMutation::kManifestBeforeLiveDocs:
      return "ManifestBeforeLiveDocs";
    case ProtocolMutation::kLiveDocsRenamedBeforeSeal:
      return "LiveDocsRenamedBeforeSeal";
    case ProtocolMutation::kOldLiveDocsRemovedBeforeManifest:
      return "OldLiveDocsRemovedBeforeManifest";
    case ProtocolMutation::kNoDrainOfKnownFiles:
      return "NoDrainOfKnownFiles";
    case ProtocolMutation::kUnflushedKnownFiles:
      return "UnflushedKnownFiles";
    case ProtocolMutation::kNoSyncOfKnownFiles:
      return "NoSyncOfKnownFiles";
    case ProtocolMutation::kManifestBeforeKnownFiles:
      return "ManifestBeforeKnownFiles";
    case ProtocolMutation::kKnownFilesRenamedBeforeSeal:
      return "KnownFilesRenamedBeforeSeal";
    case ProtocolMutation::kOldKnownFilesRemovedBeforeManifest:
      return "OldKnownFilesRemovedBeforeManifest";
    case ProtocolMutation::kConvertedSegmentsRemovedBeforeSync:
      return "ConvertedSegmentsRemovedBeforeSync";
    case ProtocolMutation::kOldManifestRemovedBeforeRename:
      return "OldManifestRemovedBeforeRename";
    case ProtocolMutation::kOldManifestRemovedBeforeSync:
      return "OldManifestRemovedBeforeSync";
    case ProtocolMutation::kSyncErrorsIgnored:
      return "SyncErrorsIgnored";
  }
  return "?";
}

}  // namespace pmdex
