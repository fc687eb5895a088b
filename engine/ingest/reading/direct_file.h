// Reads aligned ranges of an open file past the page cache, because input is read only once and the
// cache shall hold the index. Reads from the cache what the cache has already. Reads everything
// through the cache if the file system or the device refuses direct reads.
//
// Thread-safe. Borrows the descriptor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/ingest/ingest_options.h"
#include "pmem/file_descriptor.h"

namespace pmdex {

class DirectFile {
 public:
  // The alignment of offsets, sizes and addresses. A device that needs more is read through the
  // cache.
  static constexpr size_t kAlignment = 4096;

  DirectFile(int fd, DirectIo mode);

  // Returns the number of bytes read, fewer than size_bytes only at the end of the file; -1 with
  // errno on error. Reads ranges that are not aligned through the cache.
  int64_t Read(char* bytes, size_t size_bytes, uint64_t offset);

  // False once direct reads are known to be impossible.
  bool is_direct() const { return usable_.load(std::memory_order_relaxed); }

 private:
  bool IsMostlyCached(uint64_t offset, size_t size_bytes) const;

  const int fd_;
  const DirectIo mode_;
  FileDescriptor direct_;
  std::atomic<bool> usable_{false};
};

}  // namespace pmdex
