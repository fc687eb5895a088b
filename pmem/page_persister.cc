#include "pmem/page_persister.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace pmdex {
namespace {

constexpr uintptr_t kPieceBytes = uintptr_t{2} << 20;

class PagePersister final : public Persister {
 public:
  explicit PagePersister(bool durable) : durable_(durable) {}

  void CopyNonTemporal(std::byte* dst, std::span<const std::byte> source) override {
    if (source.empty()) return;
    std::memcpy(dst, source.data(), source.size());
    counters_.copied_bytes += source.size();
    const auto begin = reinterpret_cast<uintptr_t>(dst);
    MarkDirty(begin, begin + source.size());
    DropWrittenPieces(begin, begin + source.size());
  }

  void FlushRange(const std::byte* begin, size_t size_bytes) override {
    const auto address = reinterpret_cast<uintptr_t>(begin);
    if (size_bytes > 0) MarkDirty(address, address + size_bytes);
    counters_.flushed_bytes += size_bytes;
    ++counters_.flushes;
  }

  absl::Status Drain() override {
    ++counters_.drains;
    if (dirty_begin_ >= dirty_end_) return absl::OkStatus();
    const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = dirty_begin_ / page_bytes * page_bytes;
    const uintptr_t size_bytes = dirty_end_ - begin;
    // Forgotten even if msync fails: the kernel drops the pages' dirty marks with the error, so a
    // second msync would succeed without having written them. The caller must give the file up.
    dirty_begin_ = UINTPTR_MAX;
    dirty_end_ = 0;
    if (!durable_ || msync(reinterpret_cast<void*>(begin), size_bytes, MS_SYNC) == 0) {
      return absl::OkStatus();
    }
    return ErrnoStatus(errno, "write mapped pages through (msync)");
  }

  StoreGranularity granularity() const override { return StoreGranularity::kPage; }

 private:
  void MarkDirty(uintptr_t begin, uintptr_t end) {
    dirty_begin_ = std::min(dirty_begin_, begin);
    dirty_end_ = std::max(dirty_end_, end);
  }

  // Unmaps the 2 MiB pieces that a sequential writer has left behind. Their bytes stay in the page
  // cache, dirty; only this process's claim on them goes, so that a large build does not count as
  // resident memory. Sound for shared file mappings only, which is all this persister is given.
  void DropWrittenPieces(uintptr_t begin, uintptr_t end) {
    if (begin != run_end_) run_begin_ = (begin + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
    run_end_ = end;
    const uintptr_t whole_end = end / kPieceBytes * kPieceBytes;
    if (whole_end <= run_begin_) return;
    (void)madvise(reinterpret_cast<void*>(run_begin_), whole_end - run_begin_, MADV_DONTNEED);
    run_begin_ = whole_end;
  }

  const bool durable_;
  uintptr_t dirty_begin_ = UINTPTR_MAX;
  uintptr_t dirty_end_ = 0;
  uintptr_t run_begin_ = 0;  // first piece of the current run that is still mapped
  uintptr_t run_end_ = 0;    // where a sequential writer would go on
};

}  // namespace

std::unique_ptr<Persister> NewPagePersister(bool durable) {
  return std::make_unique<PagePersister>(durable);
}

}  // namespace pmdex
