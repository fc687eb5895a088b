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
    if (!AreAsked(first, last)) AskPages(first, last);
  }
  // True if Ask would have nothing to do. May be false for a range of more than 64 pages.
  bool WereAsked(uint64_t offset, uint64_t size_bytes) const {
    return size_bytes == 0 || AreAsked(offset / kPageBytes, (offset + size_bytes - 1) / kPageBytes);
  }

 private:
  bool AreAsked(uint64_t first, uint64_t last) const {
    if (last - first >= 64) return false;
    const uint64_t wanted = ~uint64_t{0} >> (63 - (last - first));
    const auto begin = static_cast<int>(first % 64);
    const bool here = HasAll(first / 64, wanted << begin);
    return here && (begin == 0 || HasAll(last / 64, wanted >> (64 - begin)));
  }
  // True if the bits `wanted` of the word are set. Where the range ends in its first word, none is
  // wanted of the last word.
  bool HasAll(uint64_t word, uint64_t wanted) const {
    return (wanted & ~asked_[word].load(std::memory_order_relaxed)) == 0;
  }
  void AskPages(uint64_t first, uint64_t last);

  const ReadableFile& file_;
  std::unique_ptr<std::atomic<uint64_t>[]> asked_;  // a bit for each page
};

}  // namespace pmdex
