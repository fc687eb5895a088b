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
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  const bool is_direct = file.valid();
  if (!is_direct && errno == EINVAL) {
    file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (!file.valid()) return ErrnoStatus(errno, path);
  return std::unique_ptr<UncachedFile>(new UncachedFile(std::move(file), is_direct));
}

}  // namespace pmdex
