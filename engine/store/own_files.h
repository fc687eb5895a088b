// Which files of a directory pmdex made. Only these may be removed or overwritten, and only a
// directory without any others, or one that is an index already, becomes an index.
//
// A temporary file is known by its name alone, because a crash may leave anything in it. A manifest
// or a segment is known by its name and by what it begins with: both are whole and durable before
// they are renamed to their final names, so no crash leaves one without its header. What has such a
// name and another beginning belongs to somebody else, or the medium lost its first page: it stays.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr std::string_view kWriterLockName = "write.lock";

// Whether the name is exactly one under which a manifest or a segment is written before it is
// renamed.
bool IsTemporaryName(std::string_view name);

// Whether the file is a manifest or a segment by its name and its header (of a segment: the id in
// it is the one in the name). False when it is gone, or cannot be read. kResourceExhausted when
// this process lacks what it needs to look.
absl::StatusOr<bool> IsOwnFile(const Directory& directory, std::string_view name);

enum class DirectoryKind {
  kEmpty,  // nothing but lost+found, the writer lock, temporary files and scratch directories
  kIndex,  // a manifest or a segment is there
  kOther,  // neither of these: no place for an index
};

struct DirectoryContent {
  DirectoryKind kind = DirectoryKind::kEmpty;
  std::string newest_manifest;  // its file name; empty: there is none
  std::string stranger;         // kOther: the name of something that is not ours
};

// Creates and changes nothing.
absl::StatusOr<DirectoryContent> ReadDirectoryContent(const Directory& directory);

// OK when an index may be made in the directory with this content, or is there already.
// kFailedPrecondition with a hint when it is kOther.
absl::Status CheckPlaceForIndex(const DirectoryContent& content, const Directory& directory);

// Names that the next manifest and the next segments must not get, because something has them that
// recovery left alone.
struct TakenNames {
  std::set<uint64_t> generations;
  std::set<uint64_t> segment_ids;
};
absl::StatusOr<TakenNames> ReadTakenNames(const Directory& directory);

}  // namespace pmdex
