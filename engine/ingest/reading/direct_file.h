// Reads aligned ranges of an open file, past the page cache where that pays: input is read once,
// and what the cache holds is better the index. What the cache has already is taken from there.
// When the file system or the device refuses, everything is read through the cache.
//
// Thread-safe. Borrows the descriptor that it is made of.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/ingest/ingest_options.h"
#include "pmem/file_descriptor.h"

namespace pmdex {

class DirectFile {
 public:
  // Of offsets, sizes and addresses. A device that asks for more is read through the cache.
  static constexpr size_t kAlignment = 4096;

  DirectFile(int fd, DirectIo mode);

  // Fewer bytes only at the end of the file; -1 with errno on error. Ranges that are not aligned
  // are read through the cache.
  int64_t Read(char* bytes, size_t size_bytes, uint64_t offset);

  // Whether O_DIRECT is possible, as far as is known yet.
  bool is_direct() const { return usable_.load(std::memory_order_relaxed); }

 private:
  bool IsMostlyCached(uint64_t offset, size_t size_bytes) const;

  const int fd_;
  const DirectIo mode_;
  FileDescriptor direct_;
  std::atomic<bool> usable_{false};
};

}  // namespace pmdex
