#include "pmem/block_io/uncached_file.h"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace pmdex {
namespace {

uint64_t NextNumber() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

UncachedFile::UncachedFile(FileDescriptor file, bool is_direct)
    : file_(std::move(file)), is_direct_(is_direct), number_(NextNumber()) {}

absl::StatusOr<std::unique_ptr<UncachedFile>> UncachedFile::Open(const std::string& path) {
  return OpenAt(AT_FDCWD, path, 0, path);
}

absl::StatusOr<std::unique_ptr<UncachedFile>> UncachedFile::OpenIn(int directory,
                                                                   const std::string& name,
                                                                   const std::string& path) {
  return OpenAt(directory, name, O_NOFOLLOW, path);
}

absl::StatusOr<std::unique_ptr<UncachedFile>> UncachedFile::OpenAt(int directory,
                                                                   const std::string& name,
                                                                   int more_flags,
                                                                   const std::string& path) {
  const int flags = O_RDONLY | O_CLOEXEC | more_flags;
  FileDescriptor file(openat(directory, name.c_str(), flags | O_DIRECT));
  const bool is_direct = file.valid();
  if (!is_direct && errno == EINVAL) file = FileDescriptor(openat(directory, name.c_str(), flags));
  if (!file.valid()) return ErrnoStatus(errno, "open " + path);
  return std::unique_ptr<UncachedFile>(new UncachedFile(std::move(file), is_direct));
}

}  // namespace pmdex
