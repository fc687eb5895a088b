// The checksums of a segment's pages (format.h: kPageChecksums): what lets a query notice damage in
// the few pages that it reads, without anybody reading the rest.
//
// The writing half is two functions. PageChecksums is the reading half, behind SegmentView: it
// verifies a page the first time that anything in this process touches it and remembers that in a
// bit. A page that was verified once is trusted from then on. Refers to the mapped file, which must
// outlive it. Thread-safe; threads that meet on a page may both verify it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/format.h"

namespace pmdex {

// Of one page, or of less at the end of a section.
uint32_t PageChecksum(std::span<const std::byte> page);
// The checksums of all pages of a section, behind those in `checksums`.
void AppendPageChecksums(std::span<const std::byte> section, std::vector<uint32_t>& checksums);
// Appends the upper levels to the checksums of all pages: then they are the section's content.
void SealPageChecksums(std::vector<uint32_t>& checksums);

// The checksums of a file as they stand in it.
struct StoredPageChecksums {
  std::span<const uint32_t> pages;
  std::span<const uint32_t> upper;  // one a page of `pages`
  uint32_t root = 0;

  // Requires page < upper.size().
  std::span<const std::byte> PageOfChecksums(uint64_t page) const {
    const uint64_t first = page * kChecksumsPerPage;
    return std::as_bytes(pages.subspan(first, std::min(kChecksumsPerPage, pages.size() - first)));
  }
};

class PageChecksums {
 public:
  // sections: the section table, known to lie inside `file`. nullopt when there is no section of
  // page checksums or it does not have the size that the others ask for.
  static std::optional<StoredPageChecksums> Find(std::span<const std::byte> file,
                                                 std::span<const SectionEntry> sections);

  // verified: trust all pages from the start (for readers that look for damage themselves).
  PageChecksums(std::span<const std::byte> file, std::span<const SectionEntry> sections,
                const StoredPageChecksums& stored, bool verified);

  const StoredPageChecksums& stored() const { return stored_; }
  // Whether the checksums of the checksums match the root: one pass over a millionth of the file.
  bool RootMatches() const;

  // Whether all pages that [offset, offset + size_bytes) of a section touches were verified before.
  // Reads none of them. Requires that the range lies inside the section, and a known kind.
  bool WereVerified(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (size_bytes == 0) return true;
    const auto [first, last] = PagesOfRange(kind, offset, size_bytes);
    return first == last ? IsVerified(first) : AreVerified(first, last);
  }
  // Whether all these pages are sound. Verifies those that were not yet. Same requirements.
  bool Check(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  // The checksums that Check reads for it, with those that are verified together with them. Same
  // requirements.
  std::span<const std::byte> ChecksumsOf(SectionKind kind, uint64_t offset,
                                         uint64_t size_bytes) const;
  // The offset in the section of the first page in the range that does not match. Same
  // requirements.
  std::optional<uint64_t> FindDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;

 private:
  struct Section {
    std::span<const std::byte> bytes;
    uint64_t first_page = 0;  // in the order of the checksums
  };

  struct PageRange {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  // Requires size_bytes > 0.
  PageRange PagesOfRange(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    const uint64_t first_page = sections_[static_cast<uint32_t>(kind)].first_page;
    return {first_page + offset / kPageBytes, first_page + (offset + size_bytes - 1) / kPageBytes};
  }
  bool IsVerified(uint64_t page) const {
    return (verified_[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1) != 0;
  }
  bool AreVerified(uint64_t first, uint64_t last) const;
  bool VerifyPage(const Section& section, uint64_t page) const;
  bool VerifyChecksumsOf(uint64_t page) const;

  StoredPageChecksums stored_;
  std::array<Section, static_cast<size_t>(kLastKnownSection) + 1> sections_;
  // A bit a page, then a bit a page of checksums. Relaxed: the bytes that a bit speaks of never
  // change, so there is nothing to order.
  std::unique_ptr<std::atomic<uint64_t>[]> verified_;
};

}  // namespace pmdex
