#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "pmem/allocated_bytes.h"
#include "pmem/directory.h"
#include "pmem/directory_path.h"
#include "pmem/file_descriptor.h"
#include "pmem/file_name.h"
#include "pmem/granularity_probe.h"
#include "pmem/mapped_file.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr mode_t kFilePermissions = 0666;  // nobody runs a file of ours

class FileLock final : public DirectoryLock {
 public:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}

 private:
  const FileDescriptor fd_;  // closing it releases the lock
};

class FileDirectory final : public Directory {
 public:
  FileDirectory(FileDescriptor fd, std::string path, const FileDirectoryOptions& options)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        durable_(options.durable),
        asked_mode_(options.mode),
        mode_(options.mode) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override;
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override;
  absl::StatusOr<std::unique_ptr<UncachedFile>> OpenUncached(std::string_view name) const override;
  absl::Status Rename(std::string_view from, std::string_view to) override;
  absl::Status Remove(std::string_view name) override;
  absl::Status Sync() override;
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override;
  absl::StatusOr<std::vector<std::string>> ListNames() const override;
  absl::StatusOr<std::vector<std::string>> ListOthers() const override;
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override;
  absl::Status TakeAccessOf(std::string_view name) override;
  absl::Status ApplyMode(std::string_view name) override;
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override;
  std::string canonical_path() const override;
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
  absl::Status ForEachEntry(const std::function<absl::Status(const dirent&)>& visit) const;
  absl::StatusOr<Listing> ListAll() const;
  mode_t CreationMode() const { return mode_.value_or(kDefaultFileMode); }
  absl::Status GiveAccess(int fd, const std::string& path) const;

  const FileDescriptor fd_;
  const std::string path_;
  const bool durable_;
  const std::optional<mode_t> asked_mode_;
  // The mode and the group of new files; nullopt for what the system gives them.
  std::optional<mode_t> mode_;
  std::optional<gid_t> group_;
  std::optional<uid_t> owner_;  // only where this process may choose it
  mutable std::once_flag probe_once_;
  mutable StoreGranularity granularity_ = StoreGranularity::kPage;
};

// Allocates blocks, because a store into a hole of a full file system raises SIGBUS.
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
  const std::string file(name);
  FileDescriptor fd(openat(fd_.get(), file.c_str(),
                           O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, CreationMode()));
  if (!fd.valid()) return ErrnoStatus(errno, "create " + path);
  auto remove = absl::MakeCleanup([&] { unlinkat(fd_.get(), file.c_str(), 0); });
  PMDEX_RETURN_IF_ERROR(GiveAccess(fd.get(), path));
  PMDEX_RETURN_IF_ERROR(Allocate(fd.get(), AllocatedBytes(capacity_bytes), path));
  PMDEX_ASSIGN_OR_RETURN(auto writable, MapWritableFile(std::move(fd), path, durable_));
  std::move(remove).Cancel();
  return writable;
}

absl::StatusOr<std::unique_ptr<ReadableFile>> FileDirectory::Open(std::string_view name) const {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const std::string path = PathOf(name);
  // With O_NONBLOCK, opening a FIFO does not block.
  FileDescriptor fd(
      openat(fd_.get(), std::string(name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return ErrnoStatus(errno, "open " + path);
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "stat " + path);
  if (!S_ISREG(facts.st_mode)) return InvalidArgument("open " + path + ": not a regular file");
  return MapReadableFile(std::move(fd), path, facts);
}

absl::StatusOr<std::unique_ptr<UncachedFile>> FileDirectory::OpenUncached(
    std::string_view name) const {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  return UncachedFile::OpenIn(fd_.get(), std::string(name), PathOf(name));
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

// Leaves out entries that were removed meanwhile.
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

absl::Status FileDirectory::ForEachEntry(
    const std::function<absl::Status(const dirent&)>& visit) const {
  // Opens the directory again, because descriptors of one open file share the read position.
  const int fd = openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, "list " + path_);
  DIR* stream = fdopendir(fd);
  if (stream == nullptr) {
    const int error = errno;
    close(fd);
    return ErrnoStatus(error, "list " + path_);
  }
  const auto close_stream = absl::MakeCleanup([stream] { closedir(stream); });
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream);
    if (entry == nullptr && errno != 0) return ErrnoStatus(errno, "list " + path_);
    if (entry == nullptr) return absl::OkStatus();
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || IsProbeName(name)) continue;
    PMDEX_RETURN_IF_ERROR(visit(*entry));
  }
}

absl::StatusOr<FileDirectory::Listing> FileDirectory::ListAll() const {
  Listing listing;
  PMDEX_RETURN_IF_ERROR(
      ForEachEntry([&](const dirent& entry) { return ListEntry(entry.d_name, listing); }));
  return listing;
}

// Most file systems say in the directory which entries are regular files.
absl::StatusOr<std::vector<std::string>> FileDirectory::ListNames() const {
  std::vector<std::string> names;
  Listing unknown;
  PMDEX_RETURN_IF_ERROR(ForEachEntry([&](const dirent& entry) {
    if (entry.d_type == DT_UNKNOWN) return ListEntry(entry.d_name, unknown);
    if (entry.d_type == DT_REG) names.emplace_back(entry.d_name);
    return absl::OkStatus();
  }));
  for (DirectoryEntry& file : unknown.files) names.push_back(std::move(file.name));
  std::sort(names.begin(), names.end());
  return names;
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

// A new file gets what TakeAccessOf found and what the caller of OpenFileDirectory asked for.
absl::Status FileDirectory::GiveAccess(int fd, const std::string& path) const {
  if (!mode_.has_value()) return absl::OkStatus();
  struct stat facts;
  if (fstat(fd, &facts) != 0) return ErrnoStatus(errno, "stat " + path);
  const gid_t group = group_.value_or(facts.st_gid);
  const uid_t owner = owner_.value_or(facts.st_uid);
  if ((group != facts.st_gid || owner != facts.st_uid) && fchown(fd, owner, group) != 0 &&
      fchown(fd, static_cast<uid_t>(-1), group) != 0 && (*mode_ >> 3 & 07) != (*mode_ & 07)) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat(
            "the files of the index belong to group ", group, ", which this user cannot give to ",
            path, " (hint: join the group, or write files for this user alone with --mode 0600)"));
  }
  if ((facts.st_mode & kModeBits) == *mode_ || fchmod(fd, *mode_) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "change the mode of " + path);
}

absl::Status FileDirectory::TakeAccessOf(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  struct stat facts;
  if (fstatat(fd_.get(), std::string(name).c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoStatus(errno, "stat " + PathOf(name));
  }
  group_ = facts.st_gid;
  if (geteuid() == 0) owner_ = facts.st_uid;
  mode_ = asked_mode_.value_or(facts.st_mode & kFilePermissions);
  return absl::OkStatus();
}

absl::Status FileDirectory::ApplyMode(std::string_view name) {
  if (!asked_mode_.has_value()) return absl::OkStatus();
  struct stat facts;
  FileDescriptor opened;
  const std::string path = name.empty() ? path_ : PathOf(name);
  if (!name.empty()) {
    PMDEX_RETURN_IF_ERROR(CheckFileName(name));
    opened = FileDescriptor(openat(fd_.get(), std::string(name).c_str(),
                                   O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!opened.valid()) return ErrnoStatus(errno, "open " + path);
  }
  const int fd = name.empty() ? fd_.get() : opened.get();
  const mode_t mode = name.empty() ? DirectoryMode(*asked_mode_) : *asked_mode_;
  if (fstat(fd, &facts) != 0) return ErrnoStatus(errno, "stat " + path);
  const mode_t wanted = (facts.st_mode & kModeBits & ~kPermissions) | mode;
  if ((facts.st_mode & kModeBits) == wanted || fchmod(fd, wanted) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "change the mode of " + path);
}

absl::StatusOr<std::unique_ptr<DirectoryLock>> FileDirectory::Lock(std::string_view name) {
  PMDEX_RETURN_IF_ERROR(CheckFileName(name));
  const std::string path = PathOf(name);
  const std::string file(name);
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  while (true) {
    FileDescriptor fd(openat(fd_.get(), file.c_str(), kFlags));
    if (!fd.valid() && errno == ENOENT) {
      fd = FileDescriptor(
          openat(fd_.get(), file.c_str(), kFlags | O_CREAT | O_EXCL, CreationMode()));
      if (!fd.valid() && errno == EEXIST) continue;  // another process was faster
      if (fd.valid()) PMDEX_RETURN_IF_ERROR(GiveAccess(fd.get(), path));
    }
    if (!fd.valid()) return ErrnoStatus(errno, "open lock " + path);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock " + path);
      return MakeStatus(absl::StatusCode::kUnavailable,
                        "lock " + path + ": held by another writer");
    }
    struct stat facts;
    if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "stat " + path);
    // If the file was removed between open and flock, the lock would exclude nobody.
    if (facts.st_nlink > 0) return std::make_unique<FileLock>(std::move(fd));
  }
}

StoreGranularity FileDirectory::granularity() const {
  // On first use, so that a process that only reads creates nothing. This one is for estimates;
  // each file that is written finds out again, and fails where it cannot.
  std::call_once(probe_once_, [this] {
    granularity_ = ProbeGranularity(fd_.get()).value_or(StoreGranularity::kPage);
  });
  return granularity_;
}

absl::StatusOr<uint64_t> FileDirectory::FreeBytes() const {
  struct statvfs facts;
  if (fstatvfs(fd_.get(), &facts) != 0) return ErrnoStatus(errno, "statvfs " + path_);
  return uint64_t{facts.f_bavail} * facts.f_frsize;
}

absl::StatusOr<std::unique_ptr<Directory>> FileDirectory::OpenElsewhere(std::string_view path,
                                                                        bool create) const {
  if (!IsPlainAbsolutePath(path)) {
    return InvalidArgument(absl::StrCat("open directory \"",
                                        absl::CHexEscape(ToAbsl(path.substr(0, 300))),
                                        "\": not an absolute path in its shortest form"));
  }
  std::string name(path);
  FileDirectoryOptions options{.create = create, .durable = durable_, .mode = mode_};
  if (create) PMDEX_RETURN_IF_ERROR(MakeDirectories(name, options));
  options.mode = asked_mode_;
  PMDEX_ASSIGN_OR_RETURN(FileDescriptor fd, OpenWithoutLinks(name));
  auto other = std::make_unique<FileDirectory>(std::move(fd), std::move(name), options);
  other->mode_ = mode_;
  other->group_ = group_;
  other->owner_ = owner_;
  return other;
}

std::string FileDirectory::canonical_path() const {
  std::error_code error;
  std::string canonical = std::filesystem::canonical(path_, error).string();
  return error ? path_ : canonical;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Directory>> OpenFileDirectory(std::string_view path,
                                                             const FileDirectoryOptions& options) {
  std::string name(path);
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  if (name.empty() || name.find('\0') != name.npos) {
    return InvalidArgument("open directory \"\": not a path");
  }
  if (options.create) PMDEX_RETURN_IF_ERROR(MakeDirectories(name, options));
  FileDescriptor fd(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "open directory " + name);
  return std::make_unique<FileDirectory>(std::move(fd), std::move(name), options);
}

}  // namespace pmdex
