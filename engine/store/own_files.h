// Finds out which files of a directory pmdex made. Writers remove and overwrite only such files.
// They make an index only in a directory that has no other files, or that is an index already.
//
// A temporary file is recognized by its name, because a crash may leave any bytes in it. A
// manifest, a segment, a file of live documents or of known files is recognized by its name and its
// header. All are durable before they get their final names, so a crash never leaves one without
// its header. A file with such a name and another header was made by another program, or the medium
// lost its first page; it is not removed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "engine/store/deletions/live_docs_file.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr std::string_view kWriterLockName = "write.lock";

// True for the names that manifests, segments, files of live documents and known files have until
// they are sealed.
bool IsTemporaryName(std::string_view name);

// True for what a directory may hold that becomes an index or a place: lost+found, the writer lock,
// temporary files and scratch directories.
bool IsNameOfAnEmptyDirectory(std::string_view name);

// True if the file has the name and the header of a manifest or of known files, or those of a
// segment or a file of live documents with the numbers of the name. False if it does not exist or
// cannot be read. Returns kResourceExhausted if this process lacks the resources to read it.
absl::StatusOr<bool> IsOwnFile(const Directory& directory, std::string_view name);

enum class DirectoryKind {
  kEmpty,  // only lost+found, the writer lock, temporary files and scratch directories
  kIndex,  // has a manifest, a segment or known files
  kOther,  // has other files, or is a place of an index: cannot become an index
};

struct DirectoryContent {
  DirectoryKind kind = DirectoryKind::kEmpty;
  std::string newest_manifest;  // its file name, or empty
  std::string stranger;         // with kOther: the name of a file that pmdex did not make
};

// Reads the directory and changes nothing.
absl::StatusOr<DirectoryContent> ReadDirectoryContent(const Directory& directory);

// Returns kFailedPrecondition, with a hint, if `content` is kOther; otherwise OK.
absl::Status CheckPlaceForIndex(const DirectoryContent& content, const Directory& directory);

// The numbers that the next manifest, segments and files of live documents must not get, because
// files that recovery did not remove have their names.
struct TakenNames {
  std::set<uint64_t> generations;
  std::set<uint64_t> segment_ids;
  std::set<LiveDocsKey> live_docs;
};
absl::StatusOr<TakenNames> ReadTakenNames(const Directory& directory);

}  // namespace pmdex
