#include "pmem/directory_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

// The path of the directory that holds `path`, which does not end in a slash.
std::string ParentOf(const std::string& path) {
  const size_t name = path.find_last_of('/');
  if (name == path.npos) return ".";
  const size_t end = path.find_last_not_of('/', name);
  return end == path.npos ? "/" : path.substr(0, end + 1);
}

// Makes the name of a directory durable by fsync of its parent. If another process made the
// directory, it is no error that this process may not open the parent or that the parent cannot be
// synced.
absl::Status SyncParent(const std::string& path, bool made) {
  const std::string parent = ParentOf(path);
  const FileDescriptor fd(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    if (!made && errno == EACCES) return absl::OkStatus();
    return ErrnoStatus(errno, "open " + parent);
  }
  if (fsync(fd.get()) == 0) return absl::OkStatus();
  if (!made && (errno == EINVAL || errno == EROFS)) return absl::OkStatus();
  return ErrnoStatus(errno, "fsync " + parent);
}

// Sets the mode, because the umask may have reduced that of mkdir.
absl::Status GiveDirectoryMode(const std::string& path, mode_t file_mode) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return ErrnoStatus(errno, "stat " + path);
  const mode_t mode = (facts.st_mode & kModeBits & ~kPermissions) | DirectoryMode(file_mode);
  if (chmod(path.c_str(), mode) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "change the mode of " + path);
}

}  // namespace

absl::Status MakeDirectories(const std::string& path, const FileDirectoryOptions& options) {
  const mode_t mode = DirectoryMode(options.mode.value_or(kDefaultFileMode));
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (part.back() != '/') {
      const bool made = mkdir(part.c_str(), mode) == 0;
      if (made || errno == EEXIST) {
        if (made && options.mode.has_value()) {
          PMDEX_RETURN_IF_ERROR(GiveDirectoryMode(part, *options.mode));
        }
        if (options.durable) PMDEX_RETURN_IF_ERROR(SyncParent(part, made));
      } else if (slash == path.npos || (errno != EROFS && errno != EACCES)) {
        // This directory may exist in a parent that is not writable. The next mkdir will tell.
        return ErrnoStatus(errno, "create directory " + part);
      }
    }
    if (slash == path.npos) return absl::OkStatus();
  }
}

absl::StatusOr<FileDescriptor> OpenWithoutLinks(const std::string& path) {
  FileDescriptor fd(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (size_t begin = 1; fd.valid() && begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const int access = end == path.size() ? O_RDONLY : O_PATH;
    FileDescriptor next(
        openat(fd.get(), part.c_str(), access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts;
    if (!next.valid() && (errno == ENOTDIR || errno == ELOOP) &&
        fstatat(fd.get(), part.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(facts.st_mode)) {
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition,
          absl::StrCat("open directory ", path, ": ", path.substr(0, end), " is a symbolic link"));
    }
    if (!next.valid()) return ErrnoStatus(errno, "open directory " + path);
    fd = std::move(next);
    begin = end + 1;
  }
  if (!fd.valid()) return ErrnoStatus(errno, "open directory " + path);
  return fd;
}

}  // namespace pmdex
