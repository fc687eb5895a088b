// Prefetches pages of a file (ReadableFile::Prefetch), each page once in this process. An index
// that lies in memory therefore costs queries no system calls. SegmentView asks for all pages that
// a query will read before it verifies the first of them.
//
// The file must outlive the object. Thread-safe; several threads may ask for the same page at the
// same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/segment/format.h"
#include "pmem/directory.h"

namespace pmdex {

class PageRequests {
 public:
  explicit PageRequests(const ReadableFile& file);

  // Prefetches the pages of [offset, offset + size_bytes) that were not prefetched before. Requires
  // that the range lies inside the file.
  void Ask(uint64_t offset, uint64_t size_bytes) {
    if (size_bytes == 0) return;
    const uint64_t first = offset / kPageBytes;
    const uint64_t last = (offset + size_bytes - 1) / kPageBytes;
    if (first == last && IsAsked(first)) return;
    AskPages(first, last);
  }

 private:
  bool IsAsked(uint64_t page) const {
    return (asked_[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1) != 0;
  }
  void AskPages(uint64_t first, uint64_t last);

  const ReadableFile& file_;
  std::unique_ptr<std::atomic<uint64_t>[]> asked_;  // a bit for each page
};

}  // namespace pmdex
