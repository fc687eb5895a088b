#include "tools/watch/tree_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"

#include "engine/columns/date_text.h"

namespace pmdex {
namespace {

PathKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return PathKind::kFile;
  if (S_ISDIR(mode)) return PathKind::kDirectory;
  return S_ISLNK(mode) ? PathKind::kLink : PathKind::kSpecial;
}

// With the rights that open(2) would have.
bool IsReadable(int fd, const char* name, const struct stat& facts) {
  if ((facts.st_mode & 0444) == 0444) return true;
  constexpr int kFlags = AT_EACCESS | AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW;
  return faccessat(fd, name, R_OK, kFlags) == 0 || errno != EACCES;
}

absl::StatusOr<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  if (real == nullptr) return ErrnoStatus(errno, path);
  return std::string(real.get());
}

}  // namespace

absl::StatusOr<TreeRoot> TreeRoot::Open(const std::string& path, const std::string& excluded) {
  TreeRoot root;
  root.path_ = path;
  while (root.path_.size() > 1 && root.path_.ends_with('/')) root.path_.pop_back();
  root.prefix_ = root.path_ == "/" ? root.path_ : root.path_ + "/";
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return ErrnoStatus(errno, path);
  if (!S_ISDIR(facts.st_mode)) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat(path, " is no directory: watch takes directory trees"));
  }
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, path);
  root.device_ = facts.st_dev;
  PMDEX_ASSIGN_OR_RETURN(root.real_path_, RealPath(path));
  if (excluded.empty()) return root;
  if (stat(excluded.c_str(), &facts) != 0) return ErrnoStatus(errno, excluded);
  root.excluded_device_ = facts.st_dev;
  root.excluded_inode_ = facts.st_ino;
  PMDEX_ASSIGN_OR_RETURN(const std::string real, RealPath(excluded));
  const std::string above = root.real_path_ == "/" ? "/" : root.real_path_ + "/";
  if (real.starts_with(above)) root.excluded_path_ = root.prefix_ + real.substr(above.size());
  return root;
}

std::string TreeRoot::Join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  path += name;
  return path;
}

FileDescriptor TreeRoot::OpenPath(std::string_view path, int flags) const {
  if (path.size() <= prefix_.size()) {
    return FileDescriptor(open(path_.c_str(), (flags & ~O_NOFOLLOW) | O_CLOEXEC));
  }
  const FileDescriptor root(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return {};
  const std::string below(path.substr(prefix_.size()));
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_NO_SYMLINKS;
  // A link at the end is opened itself if the flags have O_PATH, and refused otherwise.
  long fd = syscall(SYS_openat2, root.get(), below.c_str(), &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    fd = openat(root.get(), below.c_str(), flags | O_CLOEXEC | O_NOFOLLOW);
  }
  const int error = errno;
  FileDescriptor opened(static_cast<int>(fd));
  errno = error;
  return opened;
}

int TreeRoot::Stat(std::string_view path, PathFacts& facts) const {
  const FileDescriptor fd = OpenPath(path, O_PATH | O_NOFOLLOW);
  return fd.valid() ? StatAt(fd.get(), "", facts) : errno;
}

int TreeRoot::StatAt(int fd, const char* name, PathFacts& facts) {
  struct stat found;
  if (fstatat(fd, name, &found, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
  facts.kind = KindOf(found.st_mode);
  facts.facts = {static_cast<uint64_t>(found.st_size),
                 found.st_mtim.tv_sec * kNanosecondsPerSecond + found.st_mtim.tv_nsec, found.st_ino,
                 found.st_dev,
                 found.st_ctim.tv_sec * kNanosecondsPerSecond + found.st_ctim.tv_nsec};
  facts.links = found.st_nlink;
  facts.is_readable = facts.kind != PathKind::kFile || IsReadable(fd, name, found);
  return 0;
}

bool TreeRoot::IsExcluded(int directory_fd) const {
  struct stat facts;
  return fstat(directory_fd, &facts) == 0 && IsExcluded(facts.st_dev, facts.st_ino);
}

}  // namespace pmdex
