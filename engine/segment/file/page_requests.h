// Which pages of a file a reader has asked its medium for: each is asked for once, however many
// queries need it, so that an index in memory costs nobody a system call. Stands before the page
// checksums: what is asked for early (ReadableFile::Prefetch), for all the lists of a query at
// once, is there when the first of them is verified.
//
// Refers to the file, which must outlive it. Thread-safe; threads that meet on a page may both ask.
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

  // Asks for the pages of [offset, offset + size_bytes) that nobody asked for. Requires that the
  // range lies inside the file.
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
  std::unique_ptr<std::atomic<uint64_t>[]> asked_;  // a bit a page; relaxed: only advice
};

}  // namespace pmdex
