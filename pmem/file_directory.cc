#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "pmem/directory.h"
#include "pmem/file_descriptor.h"
#include "pmem/file_name.h"
#include "pmem/granularity_probe.h"
#include "pmem/mapped_file.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;

class FileLock final : public DirectoryLock {
 public:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}

 private:
  const FileDescriptor fd_;  // closing it releases the lock
};

class FileDirectory final : public Directory {
 public:
  FileDirectory(FileDescriptor fd, std::string path, bool durable)
      : fd_(std::move(fd)), path_(std::move(path)), durable_(durable) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override;
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override;
  absl::Status Rename(std::string_view from, std::string_view to) override;
  absl::Status Remove(std::string_view name) override;
  absl::Status Sync() override;
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override;
  absl::StatusOr<std::vector<std::string>> ListOthers() const override;
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override;
  StoreGranularity granularity() const override;
  absl::StatusOr<uint64_t> FreeBytes() const override;
  const std::string& path() const override { return path_; }

 private:
  struct Listing {
    std::vector<DirectoryEntry> files;
    std::vector<std::string> others;
  };

  std::string PathOf(std::string_view name) const { return absl::StrCat(path_, "/", ToAbsl(name)); }
  absl::Status ListEntry(const char* name, Listing& listing) const;
  absl::StatusOr<Listing> ListAll() const;

  const FileDescriptor fd_;
  const std::string path_;
  const bool durable_;
  mutable std::once_flag probe_once_;
  mutable StoreGranularity granularity_ = StoreGranularity::kPage;
};

// Allocates real blocks: a store into a hole of a full file system is SIGBUS.
absl::Status Allocate(int fd, uint64_t size_bytes, const std::string& path) {
  int error = 0;
  do {
    error = posix_fallocate(fd, 0, static_cast<off_t>(size_bytes));
  } while (error == EINTR);
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, absl::StrCat("allocate ", size_bytes, " bytes for ", path));
}

absl::StatusOr<std::unique_ptr<WritableFile>> FileDirectory::Create(std::string_view name,
                                                                    uint64_t capacity_bytes) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const std::string path = PathOf(name);
  constexpr uint64_t kMaxCapacityBytes = uint64_t{INT64_MAX} - kHugePageBytes;
  if (capacity_bytes > kMaxCapacityBytes) {
    return ErrnoStatus(EFBIG, absl::StrCat("allocate ", capacity_bytes, " bytes for ", path));
  }
  const uint64_t pieces =
      std::max<uint64_t>(1, (capacity_bytes + kHugePageBytes - 1) / kHugePageBytes);
  const std::string file(name);
  FileDescriptor fd(openat(fd_.get(), file.c_str(),
                           O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!fd.valid()) return ErrnoStatus(errno, "create " + path);
  auto remove = absl::MakeCleanup([&] { unlinkat(fd_.get(), file.c_str(), 0); });
  PMDEX_RETURN_IF_ERROR(Allocate(fd.get(), pieces * kHugePageBytes, path));
  PMDEX_ASSIGN_OR_RETURN(auto writable, MapWritableFile(std::move(fd), path, durable_));
  std::move(remove).Cancel();
  return writable;
}

absl::StatusOr<std::unique_ptr<ReadableFile>> FileDirectory::Open(std::string_view name) const {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const std::string path = PathOf(name);
  // O_NONBLOCK: a FIFO under a file's name must not hang the reader.
  FileDescriptor fd(
      openat(fd_.get(), std::string(name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return ErrnoStatus(errno, "open " + path);
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "stat " + path);
  if (!S_ISREG(facts.st_mode)) return InvalidArgument("open " + path + ": not a regular file");
  return MapReadableFile(std::move(fd), path, facts);
}

absl::Status FileDirectory::Rename(std::string_view from, std::string_view to) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(from));
  PMDEX_RETURN_IF_ERROR(CheckFileName(to));
  const std::string source(from);
  const std::string target(to);
  if (renameat(fd_.get(), source.c_str(), fd_.get(), target.c_str()) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("rename ", PathOf(from), " to ", target));
}

absl::Status FileDirectory::Remove(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  if (unlinkat(fd_.get(), std::string(name).c_str(), 0) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "remove " + PathOf(name));
}

absl::Status FileDirectory::Sync() {
  if (!durable_ || fsync(fd_.get()) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "fsync " + path_);
}

// An entry that is gone by now is left out.
absl::Status FileDirectory::ListEntry(const char* name, Listing& listing) const {
  struct stat facts;
  if (fstatat(fd_.get(), name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? absl::OkStatus() : ErrnoStatus(errno, "stat " + PathOf(name));
  }
  if (S_ISREG(facts.st_mode)) {
    listing.files.push_back({name, static_cast<uint64_t>(facts.st_size)});
  } else {
    listing.others.push_back(name);
  }
  return absl::OkStatus();
}

absl::StatusOr<FileDirectory::Listing> FileDirectory::ListAll() const {
  // A descriptor of its own: a directory's read position belongs to the open file.
  const int fd = openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, "list " + path_);
  DIR* stream = fdopendir(fd);
  if (stream == nullptr) {
    const int error = errno;
    close(fd);
    return ErrnoStatus(error, "list " + path_);
  }
  const auto close_stream = absl::MakeCleanup([stream] { closedir(stream); });
  Listing listing;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream);
    if (entry == nullptr && errno != 0) return ErrnoStatus(errno, "list " + path_);
    if (entry == nullptr) return listing;
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || IsProbeName(name)) continue;
    PMDEX_RETURN_IF_ERROR(ListEntry(entry->d_name, listing));
  }
}

absl::StatusOr<std::vector<DirectoryEntry>> FileDirectory::List() const {
  PMDEX_ASSIGN_OR_RETURN(Listing listing, ListAll());
  std::sort(listing.files.begin(), listing.files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return std::move(listing.files);
}

absl::StatusOr<std::vector<std::string>> FileDirectory::ListOthers() const {
  PMDEX_ASSIGN_OR_RETURN(Listing listing, ListAll());
  std::sort(listing.others.begin(), listing.others.end());
  return std::move(listing.others);
}

absl::StatusOr<std::unique_ptr<DirectoryLock>> FileDirectory::Lock(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const std::string path = PathOf(name);
  const std::string file(name);
  while (true) {
    FileDescriptor fd(openat(fd_.get(), file.c_str(),
                             O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kFileMode));
    if (!fd.valid()) return ErrnoStatus(errno, "open lock " + path);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock " + path);
      return MakeStatus(absl::StatusCode::kUnavailable,
                        "lock " + path + ": held by another writer");
    }
    struct stat facts;
    if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "stat " + path);
    // The file may have been removed between open and flock: a lock on it would exclude nobody.
    if (facts.st_nlink > 0) return std::make_unique<FileLock>(std::move(fd));
  }
}

StoreGranularity FileDirectory::granularity() const {
  // On first use, so that a process that only reads creates nothing.
  std::call_once(probe_once_, [this] { granularity_ = ProbeGranularity(fd_.get()); });
  return granularity_;
}

absl::StatusOr<uint64_t> FileDirectory::FreeBytes() const {
  struct statvfs facts;
  if (fstatvfs(fd_.get(), &facts) != 0) return ErrnoStatus(errno, "statvfs " + path_);
  return uint64_t{facts.f_bavail} * facts.f_frsize;
}

// The path of the directory that holds `path`, which does not end in a slash.
std::string ParentOf(const std::string& path) {
  const size_t name = path.find_last_of('/');
  if (name == path.npos) return ".";
  const size_t end = path.find_last_not_of('/', name);
  return end == path.npos ? "/" : path.substr(0, end + 1);
}

// Makes the name of a directory durable. Where this process did not make it, a parent that it may
// not open, or that cannot be synced at all, is left to who did.
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

// mkdir -p. Each parent is fsynced: a durable file in a lost directory is lost. Those of
// directories that were there too: another process may have made them just now, and not have synced
// yet.
absl::Status MakeDirectories(const std::string& path, bool durable) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (part.back() != '/') {
      const bool made = mkdir(part.c_str(), kDirectoryMode) == 0;
      if (made || errno == EEXIST) {
        if (durable) PMDEX_RETURN_IF_ERROR(SyncParent(part, made));
      } else if (slash == path.npos || (errno != EROFS && errno != EACCES)) {
        // An unwritable part may still exist, and the next one will tell.
        return ErrnoStatus(errno, "create directory " + part);
      }
    }
    if (slash == path.npos) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Directory>> OpenFileDirectory(std::string_view path,
                                                             const FileDirectoryOptions& options) {
  std::string name(path);
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  if (name.empty() || name.find('\0') != name.npos) {
    return InvalidArgument("open directory \"\": not a path");
  }
  if (options.create) PMDEX_RETURN_IF_ERROR(MakeDirectories(name, options.durable));
  FileDescriptor fd(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "open directory " + name);
  return std::make_unique<FileDirectory>(std::move(fd), std::move(name), options.durable);
}

}  // namespace pmdex
