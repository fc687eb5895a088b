// Directories that break the publish protocol in one way each. The crash tests must detect each of
// them; otherwise they would not detect the same mistake in the store. Belongs to one thread. The
// other directory must outlive it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/simulated_directory.h"

namespace pmdex {

enum class ProtocolMutation {
  kNone,
  kNoDrainBetweenDataAndHeader,
  kNoDrainOfSegments,
  kNoDrainOfManifests,
  kUnflushedTailOfSegmentHeaders,
  kUnflushedTailOfManifests,
  kUnflushedSegmentHeaders,
  kUnflushedManifests,
  kNoSyncOfSegmentFiles,
  kNoSyncOfManifestFiles,
  kNothingOfSegmentsPersisted,     // neither drained nor synced
  kNoDirectorySyncBeforeManifest,  // of the directory of the index
  kNoDirectorySyncAfterManifest,
  kNoDirectorySync,
  kNoSyncOfPlaces,  // of the directories of places
  kManifestBeforeSegments,
  kSegmentsRenamedBeforeSeal,
  kManifestsRenamedBeforeSeal,
  kNoDrainOfLiveDocs,
  kUnflushedLiveDocs,
  kNoSyncOfLiveDocsFiles,
  kManifestBeforeLiveDocs,
  kLiveDocsRenamedBeforeSeal,
  kOldLiveDocsRemovedBeforeManifest,  // as soon as those of the next generation have their name
  kNoDrainOfKnownFiles,
  kUnflushedKnownFiles,
  kNoSyncOfKnownFiles,
  kManifestBeforeKnownFiles,
  kKnownFilesRenamedBeforeSeal,
  kOldKnownFilesRemovedBeforeManifest,  // as soon as the next one has its name
  kConvertedSegmentsRemovedBeforeSync,  // the old files, of the directory of the index
  kOldManifestRemovedBeforeRename,
  kOldManifestRemovedBeforeSync,
  kSyncErrorsIgnored,
};
std::string_view ToString(ProtocolMutation mutation);

class MutantDirectory final : public Directory {
 public:
  MutantDirectory(SimulatedDirectory& inner, ProtocolMutation mutation)
      : inner_(inner), mutation_(mutation) {}
  MutantDirectory(std::unique_ptr<SimulatedDirectory> inner, ProtocolMutation mutation)
      : owned_(std::move(inner)), inner_(*owned_), mutation_(mutation) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override;
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    return inner_.Open(name);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override;
  absl::Status Remove(std::string_view name) override;
  absl::Status Sync() override;
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override { return inner_.List(); }
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override {
    return inner_.Lock(name);
  }
  // What a mutation puts off belongs to one directory, so that others do not put off.
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override;
  StoreGranularity granularity() const override { return inner_.granularity(); }
  absl::StatusOr<uint64_t> FreeBytes() const override { return inner_.FreeBytes(); }
  const std::string& path() const override { return inner_.path(); }

 private:
  friend class MutantFile;
  enum class Change { kOther, kManifestRenamed, kRemoved };
  struct PutOff {
    std::shared_ptr<SimulatedWritableFile> file;
    uint64_t length_bytes = 0;
    std::string final_name;  // empty if only the seal was put off
  };

  bool IsPutOff(std::string_view name) const;
  // True if the mutation has files written after the manifest that lists them.
  bool PutsOff() const {
    return mutation_ == ProtocolMutation::kManifestBeforeSegments ||
           mutation_ == ProtocolMutation::kManifestBeforeLiveDocs ||
           mutation_ == ProtocolMutation::kManifestBeforeKnownFiles;
  }
  absl::Status RemoveManifestBefore(std::string_view name);
  absl::Status RemoveLiveDocsBefore(std::string_view name);
  absl::Status RemoveKnownFilesBefore(std::string_view name);
  absl::StatusOr<std::vector<std::string>> ConvertedBy(std::string_view new_manifest) const;
  absl::Status DoWhatWasPutOff();
  bool LeavesOutSync() const;

  const std::unique_ptr<SimulatedDirectory> owned_;  // nullptr if the caller owns it
  SimulatedDirectory& inner_;
  const ProtocolMutation mutation_;
  Change last_change_ = Change::kOther;
  std::map<std::string, PutOff, std::less<>> put_off_;  // keyed by temporary name
};

}  // namespace pmdex
