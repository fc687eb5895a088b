#include "engine/ingest/reading/decoder_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "pmem/check.h"

namespace pmdex {
namespace {

// In front of what the decoder gets, which stays aligned.
struct alignas(64) PieceHeader {
  size_t size_bytes = 0;  // with the header
  bool mapped = false;
};

// Large pieces come from the kernel and go back to it: malloc would keep them, one for each thread.
constexpr size_t kLeastMappedBytes = size_t{128} << 10;

void* TakeBytes(size_t size_bytes, bool mapped) {
  if (!mapped) return std::aligned_alloc(alignof(PieceHeader), size_bytes);
  void* const memory =
      mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void* DecoderMemory::Allocate(size_t size_bytes) {
  constexpr size_t kMost = std::numeric_limits<size_t>::max() / 2;
  if (size_bytes > kMost) {
    needed_bytes_ = kMost;
    return nullptr;
  }
  const size_t whole = sizeof(PieceHeader) + (size_bytes + alignof(PieceHeader) - 1) /
                                                 alignof(PieceHeader) * alignof(PieceHeader);
  if (whole > limit_bytes_ - used_bytes_) {
    needed_bytes_ = std::max(needed_bytes_, used_bytes_ + whole);
    return nullptr;
  }
  const bool mapped = whole >= kLeastMappedBytes;
  void* const memory = TakeBytes(whole, mapped);
  if (memory == nullptr) return nullptr;
  *static_cast<PieceHeader*>(memory) = {whole, mapped};
  used_bytes_ += whole;
  return static_cast<char*>(memory) + sizeof(PieceHeader);
}

void DecoderMemory::Free(void* memory) {
  if (memory == nullptr) return;
  void* const begin = static_cast<char*>(memory) - sizeof(PieceHeader);
  const PieceHeader header = *static_cast<PieceHeader*>(begin);
  PMDEX_CHECK(header.size_bytes <= used_bytes_);
  used_bytes_ -= header.size_bytes;
  if (header.mapped) {
    munmap(begin, header.size_bytes);
  } else {
    std::free(begin);
  }
}

}  // namespace pmdex
