// The memory of one decoder: gives it what it asks for, up to a limit, and gives everything back to
// the kernel. The libraries that decompress (decompressor.h) allocate through it, so that a stream
// that claims to need much is refused before the memory is taken.
//
// Not thread-safe. Outlives the decoder, which frees everything it was given.
#pragma once

#include <cstddef>

namespace pmdex {

class DecoderMemory {
 public:
  explicit DecoderMemory(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  DecoderMemory(const DecoderMemory&) = delete;
  DecoderMemory& operator=(const DecoderMemory&) = delete;

  // Aligned as malloc's. Null beyond the limit, and when the system has no memory.
  void* Allocate(size_t size_bytes);
  void Free(void* memory);  // null: nothing

  size_t used_bytes() const { return used_bytes_; }
  // What the limit would have had to be when Allocate refused; 0 when it never did.
  size_t needed_bytes() const { return needed_bytes_; }

 private:
  const size_t limit_bytes_;
  size_t used_bytes_ = 0;
  size_t needed_bytes_ = 0;
};

}  // namespace pmdex
