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
    if (fd_ < 0) {
      std::memcpy(dst, source.data(), source.size());
      MarkDirty(dst, source.size());
    } else {
      WriteThroughFile(OffsetOf(dst), source);
    }
    counters_.copied_bytes += source.size();
  }

  void FlushRange(const std::byte* begin, size_t size_bytes) override {
    if (size_bytes > 0) MarkDirty(begin, size_bytes);
    counters_.flushed_bytes += size_bytes;
    ++counters_.flushes;
  }

  absl::Status Drain() override {
    ++counters_.drains;
    if (!write_error_.ok()) return write_error_;
    if (dirty_begin_ >= dirty_end_) return absl::OkStatus();
    const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = dirty_begin_ / page_bytes * page_bytes;
    const uintptr_t size_bytes = dirty_end_ - begin;
    // Clear the range even if msync fails. The kernel marks the pages clean with the error, so a
    // second msync would succeed without writing them. The caller must discard the file.
    dirty_begin_ = UINTPTR_MAX;
    dirty_end_ = 0;
    if (!durable_ || msync(reinterpret_cast<void*>(begin), size_bytes, MS_SYNC) == 0) {
      return absl::OkStatus();
    }
    return ErrnoStatus(errno, "write mapped pages through (msync)");
  }

  StoreGranularity granularity() const override { return StoreGranularity::kPage; }

 private:
  size_t OffsetOf(const std::byte* address) const {
    return static_cast<size_t>(address - mapping_.data());
  }
  void MarkDirty(const std::byte* address, size_t size_bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    dirty_begin_ = std::min(dirty_begin_, begin);
    dirty_end_ = std::max(dirty_end_, begin + size_bytes);
  }

  // write(2) puts the bytes into the page cache without the mapping. No page is then zeroed,
  // faulted in or counted as memory of this process, and a full medium gives an error instead of a
  // signal.
  void WriteThroughFile(size_t offset, std::span<const std::byte> source) {
    MarkDirty(mapping_.data() + offset, source.size());
    const size_t begin = offset;
    while (!source.empty() && write_error_.ok()) {
      const ssize_t n = pwrite(fd_, source.data(), source.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        write_error_ = ErrnoStatus(n < 0 ? errno : EIO, "write");
        return;
      }
      offset += static_cast<size_t>(n);
      source = source.subspan(static_cast<size_t>(n));
    }
    StartWriteBack(begin, offset);
  }

  // Counts the bytes that are written in each piece of 2 MiB. When a piece is complete, the kernel
  // begins to write it to the medium, so that Drain waits less. This works for several streams,
  // each of which writes from front to back.
  void StartWriteBack(size_t begin, size_t end) {
    while (durable_ && begin < end) {
      const size_t piece = begin / kPieceBytes;
      const size_t part = std::min(end, (piece + 1) * kPieceBytes) - begin;
      written_[piece] += static_cast<uint32_t>(part);
      if (written_[piece] == kPieceBytes) {
        // Errors are ignored: the msync of Drain reports them.
        (void)sync_file_range(fd_, static_cast<off_t>(piece * kPieceBytes), kPieceBytes,
                              SYNC_FILE_RANGE_WRITE);
      }
      begin += part;
    }
  }

  const std::span<std::byte> mapping_;
  const int fd_;
  const bool durable_;
  std::vector<uint32_t> written_;  // bytes by piece
  absl::Status write_error_;       // the first; nothing after it can be promised
  uintptr_t dirty_begin_ = UINTPTR_MAX;
  uintptr_t dirty_end_ = 0;
};

}  // namespace

std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable) {
  return std::make_unique<PagePersister>(mapping, fd, durable);
}

}  // namespace pmdex
