#include "pmem/growing_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kLeastBytes = 64;
constexpr size_t kStepBytes = size_t{64} << 10;  // a multiple of the page

size_t RoundedToStep(size_t size_bytes) {
  return (size_bytes + kStepBytes - 1) / kStepBytes * kStepBytes;
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  if (mapped_ == 0) {
    std::free(data_);
  } else {
    PMDEX_CHECK(munmap(data_, mapped_) == 0);
  }
}

void GrowingMemory::Expect(size_t size_bytes) {
  expected_ = std::max(expected_, size_bytes);
}

// Has addresses for so many bytes.
void GrowingMemory::Map(size_t size_bytes) {
  void* const memory =
      mapped_ == 0 ? mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                          /*fd=*/-1, /*offset=*/0)
                   : mremap(data_, mapped_, size_bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (mapped_ == 0) {
    if (usable_ != 0) std::memcpy(memory, data_, usable_);
    std::free(data_);
  }
  data_ = static_cast<std::byte*>(memory);
  mapped_ = size_bytes;
}

void GrowingMemory::Grow(size_t size_bytes) {
  if (size_bytes <= usable_) return;
  if (size_bytes <= kStepBytes) {
    const size_t more = std::min(kStepBytes, std::max({kLeastBytes, 2 * usable_, size_bytes}));
    void* const memory = std::realloc(data_, more);
    if (memory == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
    usable_ = more;
    return;
  }
  const size_t wanted = RoundedToStep(size_bytes);
  if (wanted > mapped_) Map(RoundedToStep(std::max({wanted, 2 * mapped_, expected_})));
    // An error is ignored: without this, the pages come one by one.
#ifdef MADV_POPULATE_WRITE
  (void)madvise(data_ + usable_ / kStepBytes * kStepBytes,
                wanted - usable_ / kStepBytes * kStepBytes, MADV_POPULATE_WRITE);
#endif
  usable_ = wanted;
}

}  // namespace pmdex
