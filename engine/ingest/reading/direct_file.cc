#include "engine/ingest/reading/direct_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "engine/ingest/ingest_options.h"

namespace pmdex {
namespace {

// Newer than the C library's headers; the number is the same on all architectures.
constexpr long kCachestatCall = 451;
struct CachestatRange {
  uint64_t offset;
  uint64_t size_bytes;
};
struct Cachestat {
  uint64_t cached_pages;
  uint64_t dirty_pages;
  uint64_t writeback_pages;
  uint64_t evicted_pages;
  uint64_t recently_evicted_pages;
};

// What the kernel says of the device, where it says anything (Linux 6.1).
bool AlignmentSuffices(int fd) {
#ifdef STATX_DIOALIGN
  struct statx facts;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0) return true;
  if ((facts.stx_mask & STATX_DIOALIGN) == 0) return true;
  return facts.stx_dio_offset_align != 0 &&
         std::max(facts.stx_dio_offset_align, facts.stx_dio_mem_align) <= DirectFile::kAlignment;
#else
  return true;
#endif
}

ssize_t ReadOnce(int fd, char* bytes, size_t size_bytes, uint64_t offset) {
  for (;;) {
    const ssize_t got = pread(fd, bytes, size_bytes, static_cast<off_t>(offset));
    if (got >= 0 || errno != EINTR) return got;
  }
}

int64_t ReadThroughCache(int fd, char* bytes, size_t size_bytes, uint64_t offset) {
  size_t done = 0;
  while (done < size_bytes) {
    const ssize_t got = ReadOnce(fd, bytes + done, size_bytes - done, offset + done);
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<int64_t>(done);
}

bool IsAligned(uint64_t number) {
  return number % DirectFile::kAlignment == 0;
}

}  // namespace

DirectFile::DirectFile(int fd, DirectIo mode) : fd_(fd), mode_(mode) {
  if (mode == DirectIo::kOff || !AlignmentSuffices(fd)) return;
  // A description of its own, but of the same file, whatever its path has become.
  const std::string same = "/proc/self/fd/" + std::to_string(fd);
  direct_ = FileDescriptor(open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT));
  usable_ = direct_.valid();
}

int64_t DirectFile::Read(char* bytes, size_t size_bytes, uint64_t offset) {
  const bool aligned =
      IsAligned(offset) && IsAligned(size_bytes) && IsAligned(reinterpret_cast<uintptr_t>(bytes));
  if (!aligned || !is_direct() ||
      (mode_ == DirectIo::kAuto && IsMostlyCached(offset, size_bytes))) {
    return ReadThroughCache(fd_, bytes, size_bytes, offset);
  }
  const int64_t got = ReadOnce(direct_.get(), bytes, size_bytes, offset);
  if (got == static_cast<int64_t>(size_bytes)) return got;
  // This is the end of the file, an error, or a file system without direct reads. Reading again
  // through the cache shows which.
  const int64_t again = ReadThroughCache(fd_, bytes, size_bytes, offset);
  if (again != got) usable_ = false;
  return again;
}

bool DirectFile::IsMostlyCached(uint64_t offset, size_t size_bytes) const {
  CachestatRange range = {offset, size_bytes};
  Cachestat cached = {};
  if (syscall(kCachestatCall, fd_, &range, &cached, 0) == 0) {
    return cached.cached_pages >= size_bytes / kAlignment / 2;
  }
  // Before Linux 6.5: the first byte stands for all.
  char byte = 0;
  iovec target = {&byte, 1};
  return preadv2(fd_, &target, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

}  // namespace pmdex
