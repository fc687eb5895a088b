#include "pmem/page_persister.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace pmdex {
namespace {

constexpr size_t kPieceBytes = size_t{2} << 20;

class PagePersister final : public Persister {
 public:
  PagePersister(std::span<std::byte> mapping, int fd, bool durable)
      : mapping_(mapping),
        fd_(fd),
        durable_(durable),
        written_((mapping.size() + kPieceBytes - 1) / kPieceBytes) {}

  void CopyNonTemporal(std::byte* dst, std::span<const std::byte> source) override {
    if (source.empty()) return;
    std::memcpy(dst, source.data(), source.size());
    counters_.copied_bytes += source.size();
    const auto begin = reinterpret_cast<uintptr_t>(dst);
    MarkDirty(begin, begin + source.size());
    CountWritten(static_cast<size_t>(dst - mapping_.data()), source.size());
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

  // Counts what is written of each 2 MiB piece; a writer that goes front to back, in however many
  // streams, completes one after the other. A complete piece starts its way to the medium now, so
  // that Drain has less to wait for, and is unmapped: its bytes stay in the page cache, only this
  // process's claim on them goes, so that a large build does not count as resident memory. Sound
  // for shared file mappings only, which is all this persister is given.
  void CountWritten(size_t offset, size_t size_bytes) {
    while (size_bytes > 0) {
      const size_t piece = offset / kPieceBytes;
      const size_t part = std::min(size_bytes, (piece + 1) * kPieceBytes - offset);
      written_[piece] += static_cast<uint32_t>(part);
      if (written_[piece] == kPieceBytes) FinishPiece(piece);
      offset += part;
      size_bytes -= part;
    }
  }
  void FinishPiece(size_t piece) {
    const size_t offset = piece * kPieceBytes;
    if (durable_ && fd_ >= 0) {
      // Advice only: what really reached the medium is what Drain's msync says.
      (void)sync_file_range(fd_, static_cast<off_t>(offset), kPieceBytes, SYNC_FILE_RANGE_WRITE);
    }
    (void)madvise(mapping_.data() + offset, kPieceBytes, MADV_DONTNEED);
  }

  const std::span<std::byte> mapping_;
  const int fd_;
  const bool durable_;
  std::vector<uint32_t> written_;  // bytes by piece
  uintptr_t dirty_begin_ = UINTPTR_MAX;
  uintptr_t dirty_end_ = 0;
};

}  // namespace

std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable) {
  return std::make_unique<PagePersister>(mapping, fd, durable);
}

}  // namespace pmdex
