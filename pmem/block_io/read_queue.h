// Reads many ranges of files at once, past the page cache where the files were opened so. One call
// hands the kernel all reads together by io_uring, so that the device works on them side by side;
// where the kernel or a sandbox refuses io_uring, it reads them one after another by pread. Owns
// its ring. Belongs to one thread at a time. BlockCache keeps one for each thread that reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"

namespace pmdex {

// One range of an open file. Where the file was opened with O_DIRECT, offset, size and address are
// multiples of the device's logical block, 4096 at most.
struct BlockRead {
  int file = -1;
  uint64_t offset = 0;         // bytes
  std::span<std::byte> bytes;  // where they go; owned by the caller
  size_t bytes_read = 0;       // out: fewer than asked for only at the end of the file
  absl::Status status;         // out: an error of this range; the other ranges are not touched
};

class ReadQueue {
 public:
  enum class Method { kIoUring, kPread };

  // A queue for at most `depth` reads under way, 1 or more. With kIoUring, method() says kPread
  // where the kernel refused.
  explicit ReadQueue(Method method, unsigned depth = 64);
  ~ReadQueue();
  ReadQueue(const ReadQueue&) = delete;
  ReadQueue& operator=(const ReadQueue&) = delete;

  // Reads all ranges, in any order, and returns when each has its outcome.
  void Read(std::span<BlockRead> reads);

  Method method() const;

 private:
  class Ring;
  std::unique_ptr<Ring> ring_;  // none: pread
};

}  // namespace pmdex
