#include "pmem/page_persister.h"

#include <fcntl.h>
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
    } else {
      Write(static_cast<uint64_t>(dst - mapping_.data()), source);
    }
    counters_.copied_bytes += source.size();
  }

  void FlushRange(const std::byte* /*begin*/, size_t size_bytes) override {
    counters_.flushed_bytes += size_bytes;
    ++counters_.flushes;
  }

  absl::Status Drain() override {
    ++counters_.drains;
    return write_error_;
  }

  StoreGranularity granularity() const override { return StoreGranularity::kPage; }

 private:
  void Write(uint64_t offset, std::span<const std::byte> source) {
    if (write_error_.ok()) write_error_ = WriteThroughFile(fd_, offset, source);
    if (write_error_.ok()) StartWriteBack(offset, offset + source.size());
  }

  // Counts the bytes that are written in each piece of 2 MiB. When a piece is complete, the kernel
  // begins to write it to the medium, so that fsync waits less. This works for several streams,
  // each of which writes from front to back.
  void StartWriteBack(uint64_t begin, uint64_t end) {
    while (durable_ && begin < end) {
      const size_t piece = begin / kPieceBytes;
      const uint64_t part = std::min(end, (piece + 1) * kPieceBytes) - begin;
      written_[piece] += static_cast<uint32_t>(part);
      if (written_[piece] == kPieceBytes) {
        // Errors are ignored: fsync reports them.
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
};

}  // namespace

absl::Status WriteThroughFile(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ErrnoStatus(n < 0 ? errno : EIO, "write");
    offset += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable) {
  return std::make_unique<PagePersister>(mapping, fd, durable);
}

}  // namespace pmdex
