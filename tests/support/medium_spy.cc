#include "tests/support/medium_spy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

MediumSpy* current = nullptr;
thread_local bool in_spy = false;  // what the spy itself calls is not noted

// The spy, unless this is a call of its own.
class Watch {
 public:
  Watch() : spy_(in_spy ? nullptr : current), outermost_(!in_spy) { in_spy = true; }
  ~Watch() {
    if (outermost_) in_spy = false;
  }
  MediumSpy* operator->() const { return spy_; }
  explicit operator bool() const { return spy_ != nullptr; }

 private:
  MediumSpy* const spy_;
  const bool outermost_;
};

std::string PathOf(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t bytes = readlink(link.c_str(), path, sizeof path);
  return bytes < 0 ? "" : std::string(path, static_cast<size_t>(bytes));
}

// As readlink names an open file: without links and doubled slashes.
std::string PathOf(int directory, const char* path) {
  const std::filesystem::path given(path);
  if (directory != AT_FDCWD && given.is_relative()) return PathOf(directory) + "/" + path;
  return (std::filesystem::weakly_canonical(given.parent_path()) / given.filename()).string();
}

struct stat FactsOf(int fd) {
  struct stat facts = {};
  syscall(SYS_newfstatat, fd, "", &facts, AT_EMPTY_PATH);
  return facts;
}

std::vector<std::byte> ContentOf(int fd) {
  std::vector<std::byte> content(static_cast<size_t>(FactsOf(fd).st_size));
  size_t done = 0;
  while (done < content.size()) {
    const long n = syscall(SYS_pread64, fd, content.data() + done, content.size() - done, done);
    PMDEX_CHECK(n > 0);
    done += static_cast<size_t>(n);
  }
  return content;
}

// Where a mapped address lies in its file.
struct Place {
  std::string path;
  ino_t inode;
  uint64_t offset;
};

// Asks the kernel: whoever mapped the file. Nothing for memory without a file.
std::optional<Place> FindPlace(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // "begin-end permissions offset device inode path"
    std::istringstream fields(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    uint64_t offset = 0;
    char dash;
    std::string permissions, device, inode, path;
    fields >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode;
    if (at < begin || at >= end) continue;
    std::getline(fields >> std::ws, path);
    struct stat facts;
    if (stat(path.c_str(), &facts) != 0) return std::nullopt;
    return Place{path, facts.st_ino, offset + (at - begin)};
  }
  return std::nullopt;
}

std::string DirectoryOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}
std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

// libpmem2's functions carry no context: those that the spy stands for are kept here.
namespace {

const Pmem2Library* real_library = nullptr;
pmem2_memcpy_fn real_memcpy = nullptr;
pmem2_flush_fn real_flush = nullptr;
pmem2_drain_fn real_drain = nullptr;

StoreGranularity GranularityOf(pmem2_map* map) {
  switch (real_library->map_get_store_granularity(map)) {
    case PMEM2_GRANULARITY_BYTE:
      return StoreGranularity::kByte;
    case PMEM2_GRANULARITY_CACHE_LINE:
      return StoreGranularity::kCacheLine;
    default:
      return StoreGranularity::kPage;
  }
}

int SpyMapNew(pmem2_map** map, const pmem2_config* config, const pmem2_source* source) {
  const int result = real_library->map_new(map, config, source);
  if (result == 0 && current != nullptr) {
    current->Mapped(real_library->map_get_address(*map), GranularityOf(*map));
  }
  return result;
}

void* SpyMemcpy(void* to, const void* from, size_t size, unsigned flags) {
  if (current == nullptr) return real_memcpy(to, from, size, flags);
  current->Copy(real_memcpy, to, from, size, flags);
  return to;
}
void SpyFlush(const void* address, size_t size) {
  if (current == nullptr) return real_flush(address, size);
  current->Flush(real_flush, address, size);
}
void SpyDrain() {
  if (current == nullptr) return real_drain();
  current->Drain(real_drain);
}

pmem2_memcpy_fn SpyGetMemcpy(pmem2_map* map) {
  real_memcpy = real_library->get_memcpy_fn(map);
  return SpyMemcpy;
}
pmem2_flush_fn SpyGetFlush(pmem2_map* map) {
  real_flush = real_library->get_flush_fn(map);
  return SpyFlush;
}
pmem2_drain_fn SpyGetDrain(pmem2_map* map) {
  real_drain = real_library->get_drain_fn(map);
  return SpyDrain;
}

const Pmem2Library* SpyLibrary() {
  static const Pmem2Library spy = [] {
    const auto library = LoadPmem2();
    PMDEX_CHECK(library.ok());
    real_library = *library;
    Pmem2Library table = *real_library;
    table.map_new = SpyMapNew;
    table.get_memcpy_fn = SpyGetMemcpy;
    table.get_flush_fn = SpyGetFlush;
    table.get_drain_fn = SpyGetDrain;
    return table;
  }();
  return &spy;
}

}  // namespace

MediumSpy::MediumSpy(const std::string& root, MediumMutation mutation)
    : root_(std::filesystem::canonical(root).string()), mutation_(mutation) {
  PMDEX_CHECK(current == nullptr);
  SetPmem2ForTest(SpyLibrary());
  current = this;
}

MediumSpy::~MediumSpy() {
  current = nullptr;
  SetPmem2ForTest(nullptr);
  for (const auto& [inode, fd] : delayed_) close(fd);
}

std::vector<std::string> MediumSpy::Take() {
  return std::exchange(log_, {});
}

bool MediumSpy::IsBelow(const std::string& path) const {
  return path == root_ || path.starts_with(root_ + "/");
}

std::string MediumSpy::Relative(const std::string& path) const {
  return path == root_ ? "." : path.substr(root_.size() + 1);
}

void MediumSpy::Note(const std::string& call) {
  const bool repeats = call.starts_with("copy ") || call.starts_with("write ");
  if (log_.empty() || log_.back() != call || !repeats) log_.push_back(call);
}

// System calls.

int MediumSpy::Fsync(int fd) {
  const std::string path = PathOf(fd);
  const struct stat facts = FactsOf(fd);
  if (!IsBelow(path)) return static_cast<int>(syscall(SYS_fsync, fd));
  if (S_ISDIR(facts.st_mode)) {
    const bool is_parent = std::find(parents_.begin(), parents_.end(), path) != parents_.end();
    if (mutation_ == MediumMutation::kNoFsyncOfParents && is_parent) return 0;
    if (mutation_ == MediumMutation::kNoFsyncOfTheDirectory && !is_parent) return 0;
    shadow_.SyncDirectory(path);
  } else {
    if (mutation_ == MediumMutation::kNoFsyncOfFiles) return 0;
    if (mutation_ == MediumMutation::kRenameBeforeFsync && path.ends_with(".tmp")) {
      delayed_[facts.st_ino] = dup(fd);
      return 0;
    }
    shadow_.SyncFile(facts.st_ino, ContentOf(fd));
  }
  Note("fsync " + Relative(path));
  return static_cast<int>(syscall(SYS_fsync, fd));
}

void MediumSpy::FsyncWhatWasDelayed(ino_t inode) {
  const auto found = delayed_.find(inode);
  if (found == delayed_.end()) return;
  const int fd = found->second;
  delayed_.erase(found);
  Fsync(fd);
  close(fd);
}

int MediumSpy::Truncate(int fd, off_t size) {
  if (const std::string path = PathOf(fd); IsBelow(path)) Note("truncate " + Relative(path));
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

int MediumSpy::Allocate(int fd, off_t offset, off_t size) {
  if (const std::string path = PathOf(fd); IsBelow(path)) {
    if (mutation_ == MediumMutation::kNoAllocation) return ftruncate(fd, offset + size);
    Note("allocate " + Relative(path));
  }
  return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}

int MediumSpy::Open(int directory, const char* path, int flags, mode_t mode) {
  const std::string whole = PathOf(directory, path);
  const bool creates = (flags & O_CREAT) != 0 && IsBelow(whole) && access(whole.c_str(), F_OK) != 0;
  const auto fd = static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
  if (fd >= 0 && creates) {
    Note("create " + Relative(whole));
    shadow_.Create(DirectoryOf(whole), NameOf(whole));
  }
  return fd;
}

int MediumSpy::Rename(int from_directory, const char* from, int to_directory, const char* to) {
  const std::string source = PathOf(from_directory, from);
  const std::string target = PathOf(to_directory, to);
  if (!IsBelow(source)) {
    return static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to));
  }
  const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, source.c_str(), O_RDONLY, 0));
  const ino_t inode = FactsOf(fd).st_ino;
  Note("rename " + Relative(source) + " " + Relative(target));
  shadow_.Rename(DirectoryOf(source), NameOf(source), NameOf(target), inode, ContentOf(fd));
  close(fd);
  const auto result =
      static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to));
  FsyncWhatWasDelayed(inode);
  return result;
}

int MediumSpy::Remove(int directory, const char* path, int flags) {
  const std::string whole = PathOf(directory, path);
  const auto result = static_cast<int>(syscall(SYS_unlinkat, directory, path, flags));
  if (result == 0 && IsBelow(whole)) {
    Note("remove " + Relative(whole));
    shadow_.Remove(DirectoryOf(whole), NameOf(whole));
  }
  return result;
}

int MediumSpy::MakeDirectory(const char* path, mode_t mode) {
  const std::string whole = PathOf(AT_FDCWD, path);
  if (!IsBelow(DirectoryOf(whole))) {
    return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  }
  const bool raced = races_ && syscall(SYS_mkdirat, AT_FDCWD, path, mode) == 0;
  const auto result = static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  const int error = errno;
  parents_.push_back(DirectoryOf(whole));
  if (raced || result == 0) shadow_.Create(DirectoryOf(whole), NameOf(whole));
  if (result == 0) Note("mkdir " + Relative(whole));
  errno = error;
  return result;
}

void MediumSpy::Wrote(int fd) {
  if (const std::string path = PathOf(fd); IsBelow(path)) Note("write " + Relative(path));
}

// Mappings, and what libpmem2 does in them.

void MediumSpy::Mapped(const void* address, StoreGranularity granularity) {
  const auto place = FindPlace(address);
  if (place.has_value() && IsBelow(place->path)) {
    shadow_.SetGranularity(place->inode, granularity);
  }
}

void MediumSpy::Copy(pmem2_memcpy_fn copy, void* to, const void* from, size_t size,
                     unsigned flags) {
  if (mutation_ == MediumMutation::kCachedCopies) {
    std::memcpy(to, from, size);
    return;
  }
  copy(to, from, size, flags);
  const auto place = FindPlace(to);
  if (!place.has_value() || !IsBelow(place->path)) return;
  const bool past_caches = (flags & PMEM2_F_MEM_NONTEMPORAL) != 0;
  Note((past_caches ? "copy " : "cached-copy ") + Relative(place->path));
  if ((flags & PMEM2_F_MEM_NOFLUSH) != 0) return;
  shadow_.Send(place->inode, place->offset, {static_cast<std::byte*>(to), size}, past_caches);
  if ((flags & PMEM2_F_MEM_NODRAIN) == 0) shadow_.Drain();
}

void MediumSpy::Flush(pmem2_flush_fn flush, const void* address, size_t size) {
  if (mutation_ == MediumMutation::kNoFlush) return;
  flush(address, size);
  const auto place = FindPlace(address);
  if (!place.has_value() || !IsBelow(place->path)) return;
  Note("flush " + Relative(place->path));
  shadow_.Send(place->inode, place->offset, {static_cast<const std::byte*>(address), size}, false);
}

void MediumSpy::Drain(pmem2_drain_fn drain) {
  if (mutation_ == MediumMutation::kNoDrain) return;
  drain();
  Note("drain");
  shadow_.Drain();
}

std::string_view ToString(MediumMutation mutation) {
  switch (mutation) {
    case MediumMutation::kNone:
      return "None";
    case MediumMutation::kNoFsyncOfFiles:
      return "NoFsyncOfFiles";
    case MediumMutation::kNoFsyncOfTheDirectory:
      return "NoFsyncOfTheDirectory";
    case MediumMutation::kNoFsyncOfParents:
      return "NoFsyncOfParents";
    case MediumMutation::kNoFlush:
      return "NoFlush";
    case MediumMutation::kCachedCopies:
      return "CachedCopies";
    case MediumMutation::kNoDrain:
      return "NoDrain";
    case MediumMutation::kRenameBeforeFsync:
      return "RenameBeforeFsync";
    case MediumMutation::kNoAllocation:
      return "NoAllocation";
  }
  return "?";
}

namespace {

int OpenFile(int directory, const char* path, int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = creates ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
  if (const Watch watch; watch) return watch->Open(directory, path, flags, mode);
  return static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
}

}  // namespace
}  // namespace pmdex

// These functions replace those of libc in the whole process. They call the kernel directly, so
// that nothing can recurse.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = pmdex::OpenFile(AT_FDCWD, path, flags, arguments);
  va_end(arguments);
  return fd;
}
int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = pmdex::OpenFile(directory, path, flags, arguments);
  va_end(arguments);
  return fd;
}
int fsync(int fd) {
  if (const pmdex::Watch watch; watch) return watch->Fsync(fd);
  return static_cast<int>(syscall(SYS_fsync, fd));
}
int ftruncate(int fd, off_t size) {
  if (const pmdex::Watch watch; watch) return watch->Truncate(fd, size);
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
int posix_fallocate(int fd, off_t offset, off_t size) {
  if (const pmdex::Watch watch; watch) return watch->Allocate(fd, offset, size);
  return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  if (const pmdex::Watch watch; watch) return watch->Rename(from_directory, from, to_directory, to);
  return static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to));
}
int unlinkat(int directory, const char* path, int flags) {
  if (const pmdex::Watch watch; watch) return watch->Remove(directory, path, flags);
  return static_cast<int>(syscall(SYS_unlinkat, directory, path, flags));
}
int mkdir(const char* path, mode_t mode) {
  if (const pmdex::Watch watch; watch) return watch->MakeDirectory(path, mode);
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  const ssize_t written = syscall(SYS_pwrite64, fd, bytes, size, offset);
  if (const pmdex::Watch watch; watch && written > 0) watch->Wrote(fd);
  return written;
}
}  // extern "C"
