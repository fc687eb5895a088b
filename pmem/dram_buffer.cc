#include "pmem/dram_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr uint64_t kSmallPageBytes = 4096;
// A process has no addresses for more on any machine that this is for.
constexpr uint64_t kAddressableBytes = uint64_t{1} << 56;

uint64_t WholeSmallPages(uint64_t size_bytes) {
  return (size_bytes + kSmallPageBytes - 1) / kSmallPageBytes * kSmallPageBytes;
}

absl::Status NoMemory(uint64_t size_bytes, std::string_view what) {
  return ErrnoStatus(ENOMEM, absl::StrCat("allocate ", size_bytes, " bytes for ", ToAbsl(what)));
}

// Zeroed memory at a multiple of kHugePageBytes, in huge pages where the kernel has them.
class HugePageBuffer final : public DramBuffer {
 public:
  static absl::StatusOr<DramBufferPointer> Allocate(uint64_t capacity_bytes,
                                                    std::string_view what) {
    const uint64_t pieces = std::max<uint64_t>(
        1, capacity_bytes / kHugePageBytes + (capacity_bytes % kHugePageBytes != 0 ? 1 : 0));
    if (pieces > (uint64_t{INT64_MAX} - kHugePageBytes) / kHugePageBytes) {
      return NoMemory(capacity_bytes, what);
    }
    const uint64_t size_bytes = pieces * kHugePageBytes;
    void* const reserved = mmap(nullptr, size_bytes + kHugePageBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved == MAP_FAILED) return NoMemory(size_bytes, what);
    return DramBufferPointer(new HugePageBuffer(reserved, size_bytes));
  }
  ~HugePageBuffer() override { munmap(reserved_, memory_.size() + kHugePageBytes); }

  void Trim(uint64_t length_bytes) override {
    const uint64_t kept = WholeSmallPages(length_bytes);
    if (kept >= memory_.size()) return;
    (void)madvise(memory_.data() + kept, memory_.size() - kept, MADV_DONTNEED);
  }

 private:
  HugePageBuffer(void* reserved, uint64_t size_bytes) : reserved_(reserved) {
    const auto address = reinterpret_cast<uintptr_t>(reserved);
    const uintptr_t aligned = (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    memory_ = {reinterpret_cast<std::byte*>(aligned), size_bytes};
    (void)madvise(memory_.data(), memory_.size(), MADV_HUGEPAGE);
  }

  void* reserved_;
};

// Whole pages of malloc's memory. Zeroing and mapping huge pages would take longer than writing a
// small segment.
class ExactBuffer final : public DramBuffer {
 public:
  static absl::StatusOr<DramBufferPointer> Allocate(uint64_t capacity_bytes,
                                                    std::string_view what) {
    if (capacity_bytes > kAddressableBytes) return NoMemory(capacity_bytes, what);
    const uint64_t size_bytes = std::max(kSmallPageBytes, WholeSmallPages(capacity_bytes));
    void* const bytes = std::aligned_alloc(kSmallPageBytes, size_bytes);
    if (bytes == nullptr) return NoMemory(size_bytes, what);
    std::memset(bytes, 0, size_bytes);
    return DramBufferPointer(new ExactBuffer(static_cast<std::byte*>(bytes), size_bytes));
  }
  ~ExactBuffer() override { std::free(memory_.data()); }

  void Trim(uint64_t /*length_bytes*/) override {}

 private:
  ExactBuffer(std::byte* bytes, uint64_t size_bytes) { memory_ = {bytes, size_bytes}; }
};

}  // namespace

absl::StatusOr<DramBufferPointer> AllocateDramBuffer(DramAllocation allocation,
                                                     uint64_t capacity_bytes,
                                                     std::string_view what) {
  return allocation == DramAllocation::kExact ? ExactBuffer::Allocate(capacity_bytes, what)
                                              : HugePageBuffer::Allocate(capacity_bytes, what);
}

}  // namespace pmdex
