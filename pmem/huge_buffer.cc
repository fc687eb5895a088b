#include "pmem/huge_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kHugeBytes = size_t{2} << 20;

size_t MappedBytes(size_t size_bytes) {
  return (size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::byte* MapAnonymous(size_t size_bytes) {
  void* memory =
      mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void UnmapAnonymous(std::byte* begin, size_t size_bytes) {
  if (size_bytes > 0) PMDEX_CHECK(munmap(begin, size_bytes) == 0);
}

// Maps more than size_bytes and unmaps both ends.
std::byte* MapAligned(size_t size_bytes) {
  std::byte* const begin = MapAnonymous(size_bytes + kHugeBytes);
  const size_t lead = (kHugeBytes - reinterpret_cast<uintptr_t>(begin) % kHugeBytes) % kHugeBytes;
  UnmapAnonymous(begin, lead);
  UnmapAnonymous(begin + lead + size_bytes, kHugeBytes - lead);
  return begin + lead;
}

}  // namespace

HugeBuffer::HugeBuffer(size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  const size_t mapped = MappedBytes(size_bytes);
  data_ = mapped < kHugeBytes ? MapAnonymous(mapped) : MapAligned(mapped);
  // Errors are ignored: without 2 MiB pages the buffer works, only slower.
  if (mapped >= kHugeBytes) (void)madvise(data_, mapped, MADV_HUGEPAGE);
}

void HugeBuffer::Populate() {
  if (size_bytes_ > 0) (void)madvise(data_, MappedBytes(size_bytes_), MADV_POPULATE_WRITE);
}

HugeBuffer::~HugeBuffer() {
  if (data_ != nullptr) UnmapAnonymous(data_, MappedBytes(size_bytes_));
}

HugeBuffer::HugeBuffer(HugeBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

void HugeBuffer::Grow(size_t size_bytes) {
  PMDEX_CHECK(size_bytes >= size_bytes_);
  HugeBuffer grown(size_bytes);
  const size_t mapped = MappedBytes(size_bytes_);
  if (mapped < kHugeBytes) {
    if (size_bytes_ > 0) std::memcpy(grown.data_, data_, size_bytes_);
    std::swap(*this, grown);
    return;
  }
  std::byte* const begin = std::exchange(grown.data_, nullptr);
  // Pages of 2 MiB move as they are between addresses that are aligned to them.
  if (mremap(data_, mapped, mapped, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == MAP_FAILED) {
    // The kernel does not say if it has already unmapped `begin`.
    UnmapAnonymous(begin + mapped, MappedBytes(size_bytes) - mapped);
    throw std::bad_alloc();
  }
  data_ = begin;
  size_bytes_ = size_bytes;
}

HugeBuffer& HugeBuffer::operator=(HugeBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

}  // namespace pmdex
