// The memory of one decoder. It allocates up to a limit and returns everything to the kernel. The
// libraries that decompress (decompressor.h) allocate through it. So a stream that claims to need
// too much is refused before the memory is taken.
//
// Not thread-safe. Outlives the decoder, which frees everything that it was given.
#pragma once

#include <cstddef>

namespace pmdex {

class DecoderMemory {
 public:
  explicit DecoderMemory(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  DecoderMemory(const DecoderMemory&) = delete;
  DecoderMemory& operator=(const DecoderMemory&) = delete;

  // Aligned as by malloc. Null beyond the limit, and if the system has no memory.
  void* Allocate(size_t size_bytes);
  void Free(void* memory);  // may be null

  size_t used_bytes() const { return used_bytes_; }
  // The limit that Allocate would have needed when it refused; 0 if it never did.
  size_t needed_bytes() const { return needed_bytes_; }

 private:
  const size_t limit_bytes_;
  size_t used_bytes_ = 0;
  size_t needed_bytes_ = 0;
};

}  // namespace pmdex
