// A library to preload (LD_PRELOAD) into the real program. The n-th system call on files below a
// directory fails, as on a full or failing medium. All other calls are passed on to the kernel.
//
//   PMDEX_FAIL_BELOW  the directory: calls on paths and open files below it count, in order
//   PMDEX_FAIL_AT     the number of the call that fails, from 1
//   PMDEX_FAIL_ERRNO  the error, as a number; 0: a write that writes half, once
//   PMDEX_FAIL_MARK   a file that is created when a call fails, with the name of the call in it
//   PMDEX_LOG_CALLS   a file that gets a line for each such call, "CALL PATH"; alone with
//                     PMDEX_FAIL_BELOW it lets no call fail
//   PMDEX_PRETEND_DAX set: mappings with MAP_SYNC succeed, as on a DAX mount
//
// It calls the kernel directly and not the functions of libc, so that nothing can recurse. Built
// into no test; thread-safe.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kPathBytes = 4096;
constexpr int kShortWrite = 0;

const char* below = nullptr;  // null: nothing fails
const char* mark = nullptr;
const char* log_path = nullptr;
bool pretend_dax = false;
long fail_at = 0;
int fail_errno = EIO;
std::atomic<long> count{0};

__attribute__((constructor)) void ReadPlan() {
  const char* at = std::getenv("PMDEX_FAIL_AT");
  const char* error = std::getenv("PMDEX_FAIL_ERRNO");
  mark = std::getenv("PMDEX_FAIL_MARK");
  log_path = std::getenv("PMDEX_LOG_CALLS");
  pretend_dax = std::getenv("PMDEX_PRETEND_DAX") != nullptr;
  if (log_path != nullptr) below = std::getenv("PMDEX_FAIL_BELOW");
  if (at == nullptr || error == nullptr || mark == nullptr) return;
  fail_at = std::atol(at);
  fail_errno = std::atoi(error);
  below = std::getenv("PMDEX_FAIL_BELOW");
}

bool IsBelow(const char* path) {
  const size_t bytes = std::strlen(below);
  return std::strncmp(path, below, bytes) == 0 && (path[bytes] == '/' || path[bytes] == '\0');
}

// What the call at hand is on, for the log.
thread_local char watched_path[2 * kPathBytes];

// The path of an open file; empty when there is none.
void PathOf(int fd, char* path) {
  path[0] = '\0';
  char link[32] = "/proc/self/fd/";
  char digits[12];
  size_t n = 0;
  for (int rest = fd; n == 0 || rest > 0; rest /= 10)
    digits[n++] = static_cast<char>('0' + rest % 10);
  size_t end = std::strlen(link);
  while (n > 0) link[end++] = digits[--n];
  link[end] = '\0';
  const ssize_t bytes = readlink(link, path, kPathBytes - 1);
  if (bytes > 0) path[bytes] = '\0';
}

bool IsWatched(int fd) {
  if (below == nullptr || fd < 0) return false;
  PathOf(fd, watched_path);
  return IsBelow(watched_path);
}

bool IsWatched(int directory, const char* path) {
  if (below == nullptr || (path[0] != '/' && directory == AT_FDCWD)) return false;
  if (path[0] == '/') {
    std::snprintf(watched_path, sizeof watched_path, "%s", path);
  } else {
    PathOf(directory, watched_path);
    const size_t bytes = std::strlen(watched_path);
    std::snprintf(watched_path + bytes, sizeof watched_path - bytes, "/%s", path);
  }
  return IsBelow(watched_path);
}

// One write, so that lines of several threads do not mix.
void Log(const char* call) {
  if (log_path == nullptr) return;
  char line[2 * kPathBytes + 64];
  const int bytes = std::snprintf(line, sizeof line, "%s %s\n", call, watched_path);
  const long fd =
      syscall(SYS_openat, AT_FDCWD, log_path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || bytes <= 0) return;
  syscall(SYS_write, fd, line, bytes);
  syscall(SYS_close, fd);
}

// Whether this call, which counts, is the one to fail.
bool IsTurn(const char* call) {
  Log(call);
  if (++count != fail_at) return false;
  const long fd = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) {
    syscall(SYS_write, fd, call, std::strlen(call));
    syscall(SYS_close, fd);
  }
  return true;
}

// The same for a call that is no write: on a plan of short writes it neither counts nor fails.
bool Fails(const char* call) {
  if (fail_errno == kShortWrite || !IsTurn(call)) return false;
  errno = fail_errno;
  return true;
}

mode_t ModeOf(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

int Open(int directory, const char* path, int flags, mode_t mode) {
  if (IsWatched(directory, path) && Fails("open")) return -1;
  return static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
}

// -1 to fail, otherwise how many bytes to write.
ssize_t BytesToWrite(int fd, size_t size, const char* call) {
  if (!IsWatched(fd) || !IsTurn(call)) return static_cast<ssize_t>(size);
  if (fail_errno == kShortWrite) return static_cast<ssize_t>(size / 2);
  errno = fail_errno;
  return -1;
}

int Allocate(int fd, off_t offset, off_t size) {
  if (IsWatched(fd) && Fails("posix_fallocate")) return fail_errno;
  return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(directory, path, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const ssize_t n = BytesToWrite(fd, size, "write");
  return n < 0 ? -1 : syscall(SYS_write, fd, bytes, n);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  const ssize_t n = BytesToWrite(fd, size, "pwrite");
  return n < 0 ? -1 : syscall(SYS_pwrite64, fd, bytes, n, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}

ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  if (IsWatched(fd) && Fails("pread")) return -1;
  return syscall(SYS_pread64, fd, bytes, size, offset);
}
ssize_t pread64(int fd, void* bytes, size_t size, off64_t offset) {
  return pread(fd, bytes, size, offset);
}

int fsync(int fd) {
  if (IsWatched(fd) && Fails("fsync")) return -1;
  return static_cast<int>(syscall(SYS_fsync, fd));
}
int fdatasync(int fd) {
  if (IsWatched(fd) && Fails("fdatasync")) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}
int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
  if (IsWatched(fd) && Fails("sync_file_range")) return -1;
  return static_cast<int>(syscall(SYS_sync_file_range, fd, offset, size, flags));
}

int ftruncate(int fd, off_t size) {
  if (IsWatched(fd) && Fails("ftruncate")) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
int ftruncate64(int fd, off64_t size) {
  return ftruncate(fd, size);
}
int posix_fallocate(int fd, off_t offset, off_t size) {
  return Allocate(fd, offset, size);
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
  return Allocate(fd, offset, size);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  if (IsWatched(from_directory, from) && Fails("renameat")) return -1;
  return static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to));
}
int unlinkat(int directory, const char* path, int flags) {
  if (IsWatched(directory, path) && Fails("unlinkat")) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, directory, path, flags));
}
int mkdir(const char* path, mode_t mode) {
  if (IsWatched(AT_FDCWD, path) && Fails("mkdir")) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int fstat(int fd, struct stat* facts) {
  if (IsWatched(fd) && Fails("fstat")) return -1;
  return static_cast<int>(syscall(SYS_newfstatat, fd, "", facts, AT_EMPTY_PATH));
}
int fstatat(int directory, const char* path, struct stat* facts, int flags) {
  if (IsWatched(directory, path) && Fails("fstatat")) return -1;
  return static_cast<int>(syscall(SYS_newfstatat, directory, path, facts, flags));
}
int stat(const char* path, struct stat* facts) {
  if (IsWatched(AT_FDCWD, path) && Fails("stat")) return -1;
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, facts, 0));
}
int flock(int fd, int operation) {
  if (IsWatched(fd) && Fails("flock")) return -1;
  return static_cast<int>(syscall(SYS_flock, fd, operation));
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (IsWatched(fd) && Fails("mmap")) return MAP_FAILED;
  if (pretend_dax && (flags & MAP_SYNC) != 0) {
    flags = (flags & ~(MAP_SYNC | MAP_SHARED_VALIDATE)) | MAP_SHARED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, fd, offset));
}
void* mmap64(void* address, size_t size, int protection, int flags, int fd, off64_t offset) {
  return mmap(address, size, protection, flags, fd, offset);
}
// Only where it maps pages in advance: other advice may be ignored.
int madvise(void* address, size_t size, int advice) {
  const bool populates = advice == MADV_POPULATE_READ || advice == MADV_POPULATE_WRITE;
  watched_path[0] = '\0';
  if (below != nullptr && populates && Fails("madvise")) return -1;
  return static_cast<int>(syscall(SYS_madvise, address, size, advice));
}

}  // extern "C"
