// A directory tree that is watched, and how files below it are looked at. No symbolic link below
// the root is followed, even if it replaces a directory in this moment: the kernel resolves the
// path in one step (openat2 with RESOLVE_NO_SYMLINKS). Kernels without openat2 check the last
// component only. A root that is a link itself is followed, as `pmdex index` does.
//
// Immutable and thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/store/known_files/known_file.h"
#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

enum class PathKind { kFile, kDirectory, kLink, kSpecial };

// What there is at a path.
struct PathFacts {
  PathKind kind = PathKind::kFile;
  FileFacts facts;
  uint64_t links = 1;       // names of the file
  bool is_readable = true;  // by this process; for files
};

class TreeRoot {
 public:
  // Returns kNotFound or the error of the directory if it cannot be opened, and
  // kFailedPrecondition if it is no directory. excluded: the directory of the index, which is not
  // looked at; empty if there is none.
  static absl::StatusOr<TreeRoot> Open(const std::string& path, const std::string& excluded);

  // As the user gave it, without slashes at the end. Paths below it begin with prefix().
  const std::string& path() const { return path_; }
  const std::string& prefix() const { return prefix_; }
  // The absolute path without links, when it was opened.
  const std::string& real_path() const { return real_path_; }
  // The file system of the root, when it was opened.
  uint64_t device() const { return device_; }

  // True if the path is the root or lies below it, and is not the directory of the index or below
  // that.
  bool Contains(std::string_view path) const {
    return (path == path_ || path.starts_with(prefix_)) &&
           (excluded_path_.empty() ||
            (path != excluded_path_ && !path.starts_with(excluded_path_ + "/")));
  }
  // The path of a name in a directory.
  static std::string Join(std::string_view directory, std::string_view name);

  // Opens what lies at a path of the tree with these flags of open(2). If that fails, the
  // descriptor is not valid and errno says why: ELOOP or ENOTDIR if a part of it is a link.
  FileDescriptor OpenPath(std::string_view path, int flags) const;
  // Returns errno; 0: `facts` is set.
  int Stat(std::string_view path, PathFacts& facts) const;
  // The same for a name in an open directory, or for the descriptor itself if the name is empty.
  static int StatAt(int fd, const char* name, PathFacts& facts);
  // True if this is the directory of the index.
  bool IsExcluded(uint64_t device, uint64_t inode) const {
    return excluded_inode_ == inode && excluded_device_ == device && inode != 0;
  }
  bool IsExcluded(int directory_fd) const;

 private:
  TreeRoot() = default;

  std::string path_;
  std::string prefix_;
  std::string real_path_;
  uint64_t device_ = 0;
  std::string excluded_path_;  // below the root; empty if the index lies elsewhere
  uint64_t excluded_device_ = 0;
  uint64_t excluded_inode_ = 0;
};

}  // namespace pmdex
