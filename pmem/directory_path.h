// Makes and opens directories of a mounted file system by their paths, for the directory that
// file_directory.cc implements. Stateless, thread-safe.
#pragma once

#include <string>

#include "pmem/directory.h"
#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

// Makes a directory and its parents, with the mode and the durability of `options`. Syncs each
// parent, because a file is lost if its directory is lost. Also syncs the parents of directories
// that existed: another process may have just made them.
absl::Status MakeDirectories(const std::string& path, const FileDirectoryOptions& options);

// Opens a directory part after part, so that no symbolic link can lead elsewhere. Returns
// kFailedPrecondition if a part is a link. Requires IsPlainAbsolutePath(path).
absl::StatusOr<FileDescriptor> OpenWithoutLinks(const std::string& path);

}  // namespace pmdex
