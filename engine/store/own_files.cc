#include "engine/store/own_files.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "engine/segment/format.h"
#include "engine/segment/live_docs_format.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/known_files/known_files_format.h"
#include "engine/store/manifest.h"
#include "engine/store/placement/place_mark.h"
#include "engine/store/scratch_directory.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kTemporarySuffix = ".tmp";

// A writer may remove a file after the directory was listed and before the file is opened. If this
// happens more often in a row, it is an error.
constexpr int kMaxAttempts = 16;

bool IsNameOfOwnFile(std::string_view name) {
  return ParseManifestFileName(name).has_value() || ParseSegmentFileName(name).has_value() ||
         ParseLiveDocsFileName(name).has_value() || ParseKnownFilesName(name).has_value();
}

// The files of a directory by their names.
struct SortedNames {
  std::vector<std::string> manifests;  // newest first
  std::vector<std::string> segments;   // their files of live documents, and known files
  std::vector<std::string> strangers;
};

absl::StatusOr<SortedNames> ReadNames(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, directory.List());
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> others, directory.ListOthers());
  SortedNames names;
  for (const DirectoryEntry& entry : entries) {
    if (ParseManifestFileName(entry.name).has_value()) {
      names.manifests.push_back(entry.name);
    } else if (ParseSegmentFileName(entry.name).has_value() ||
               ParseLiveDocsFileName(entry.name).has_value() ||
               ParseKnownFilesName(entry.name).has_value()) {
      names.segments.push_back(entry.name);
    } else if (!IsNameOfAnEmptyDirectory(entry.name)) {
      names.strangers.push_back(entry.name);
    }
  }
  for (const std::string& name : others) {
    if (!IsNameOfAnEmptyDirectory(name)) names.strangers.push_back(name);
  }
  std::reverse(names.manifests.begin(), names.manifests.end());
  return names;
}

// The beginning of the file, with zeros behind its end. nullopt when it cannot be read.
absl::StatusOr<std::optional<FileHeader>> ReadBeginning(const ReadableFile& file) {
  const size_t bytes = std::min<size_t>(sizeof(FileHeader), file.bytes().size());
  FileHeader header{};
  if (bytes == 0) return std::optional(header);
  const absl::Status populated = file.Populate(0, bytes);
  if (absl::IsResourceExhausted(populated)) return populated;
  if (!populated.ok()) return std::nullopt;
  std::memcpy(&header, file.bytes().data(), bytes);
  if (!file.Health().ok()) return std::nullopt;
  return std::optional(header);
}

// True if these are the first bytes of this file of live documents.
bool IsHeaderOf(const FileHeader& beginning, const LiveDocsKey& key) {
  LiveDocsHeader header;
  static_assert(sizeof header == sizeof beginning);
  std::memcpy(&header, &beginning, sizeof header);
  return header.magic == kLiveDocsMagic && header.segment_id == key.segment_id &&
         header.generation == key.generation;
}

absl::StatusOr<bool> HasOwnHeader(const ReadableFile& file, std::string_view name) {
  PMDEX_ASSIGN_OR_RETURN(const std::optional<FileHeader> header, ReadBeginning(file));
  if (!header.has_value()) return false;
  if (ParseManifestFileName(name).has_value()) return header->magic == kManifestMagic;
  if (ParseKnownFilesName(name).has_value()) return header->magic == kKnownFilesMagic;
  if (const auto key = ParseLiveDocsFileName(name)) return IsHeaderOf(*header, *key);
  return header->magic == kSegmentMagic && header->segment_id == ParseSegmentFileName(name);
}

// The first of the files that pmdex made, or nullopt. Adds those before it to the strangers. Sets
// `raced` if a file was gone before it could be opened.
absl::StatusOr<std::optional<std::string>> FindOwnFile(const Directory& directory,
                                                       const std::vector<std::string>& names,
                                                       std::vector<std::string>& strangers,
                                                       bool& raced) {
  for (const std::string& name : names) {
    const auto file = directory.Open(name);
    if (absl::IsNotFound(file.status())) {
      raced = true;
      continue;
    }
    if (!file.ok()) return file.status();
    PMDEX_ASSIGN_OR_RETURN(const bool own, HasOwnHeader(**file, name));
    if (own) return std::optional<std::string>(name);
    strangers.push_back(name);
  }
  return std::optional<std::string>();
}

absl::StatusOr<DirectoryContent> TryReadContent(const Directory& directory, bool& raced) {
  PMDEX_ASSIGN_OR_RETURN(SortedNames names, ReadNames(directory));
  DirectoryContent content;
  PMDEX_ASSIGN_OR_RETURN(const auto manifest,
                         FindOwnFile(directory, names.manifests, names.strangers, raced));
  if (manifest.has_value()) {
    content.kind = DirectoryKind::kIndex;
    content.newest_manifest = *manifest;
    return content;
  }
  // The segments of a place belong to another index.
  const auto mark =
      std::find(names.strangers.begin(), names.strangers.end(), std::string(kPlaceMarkName));
  if (mark != names.strangers.end()) {
    content.kind = DirectoryKind::kOther;
    content.stranger = kPlaceMarkName;
    return content;
  }
  PMDEX_ASSIGN_OR_RETURN(const auto segment,
                         FindOwnFile(directory, names.segments, names.strangers, raced));
  if (segment.has_value()) {
    content.kind = DirectoryKind::kIndex;
  } else if (!names.strangers.empty()) {
    content.kind = DirectoryKind::kOther;
    content.stranger = names.strangers.front();
  }
  return content;
}

}  // namespace

bool IsTemporaryName(std::string_view name) {
  if (!name.ends_with(kTemporarySuffix)) return false;
  name.remove_suffix(kTemporarySuffix.size());
  return IsNameOfOwnFile(name);
}

bool IsNameOfAnEmptyDirectory(std::string_view name) {
  return name == "lost+found" || name == kWriterLockName || IsTemporaryName(name) ||
         IsScratchDirectoryName(name);
}

absl::StatusOr<bool> IsOwnFile(const Directory& directory, std::string_view name) {
  if (!IsNameOfOwnFile(name)) return false;
  const auto file = directory.Open(name);
  if (absl::IsResourceExhausted(file.status())) return file.status();
  if (!file.ok()) return false;
  return HasOwnHeader(**file, name);
}

absl::StatusOr<DirectoryContent> ReadDirectoryContent(const Directory& directory) {
  for (int attempt = 1;; ++attempt) {
    bool raced = false;
    auto content = TryReadContent(directory, raced);
    const bool is_index = content.ok() && content->kind == DirectoryKind::kIndex;
    if (!raced || is_index || attempt == kMaxAttempts) return content;
  }
}

absl::Status CheckPlaceForIndex(const DirectoryContent& content, const Directory& directory) {
  if (content.kind != DirectoryKind::kOther) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat(directory.path(), " is neither empty nor an index, it holds ",
                   absl::Utf8SafeCHexEscape(content.stranger),
                   " (hint: give --index a directory that is new, empty, or an index)"));
}

absl::StatusOr<TakenNames> ReadTakenNames(const Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, directory.List());
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string> names, directory.ListOthers());
  for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
  TakenNames taken;
  for (std::string_view name : names) {
    if (name.ends_with(kTemporarySuffix)) name.remove_suffix(kTemporarySuffix.size());
    if (const auto generation = ParseManifestFileName(name)) taken.generations.insert(*generation);
    if (const auto id = ParseSegmentFileName(name)) taken.segment_ids.insert(*id);
    if (const auto key = ParseLiveDocsFileName(name)) taken.live_docs.insert(*key);
  }
  return taken;
}

}  // namespace pmdex
