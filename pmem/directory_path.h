// Makes and opens directories of a mounted file system by their paths, for the directory that
// file_directory.cc implements. Stateless, thread-safe.
#pragma once

#include <sys/types.h>

#include <string>

#include "pmem/directory.h"
#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr mode_t kDefaultFileMode = 0600;
// The bits of a mode that say who may read, write and search, and all bits. The set-group-id bit is
// among the latter; it passes the group of a directory on to what is made in it.
inline constexpr mode_t kPermissions = 0777;
inline constexpr mode_t kModeBits = 07777;

// Makes a directory and its parents, with the mode and the durability of `options`. Syncs each
// parent, because a file is lost if its directory is lost. Also syncs the parents of directories
// that existed: another process may have just made them.
absl::Status MakeDirectories(const std::string& path, const FileDirectoryOptions& options);

// Opens a directory part after part, so that no symbolic link can lead elsewhere. Returns
// kFailedPrecondition if a part is a link. Requires IsPlainAbsolutePath(path).
absl::StatusOr<FileDescriptor> OpenWithoutLinks(const std::string& path);

}  // namespace pmdex
