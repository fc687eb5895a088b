// Writes and verifies the checksums of a segment's pages (kPageChecksums in format.h). They let a
// query detect damage in the pages that it reads without reading others.
//
// AppendPageChecksums and SealPageChecksums write them. SegmentView verifies pages through
// PageChecksums, which verifies each page once in this process and keeps a bit for it. Thread-safe;
// several threads may verify the same page at the same time.
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

// The checksum of one page, which may be shorter at the end of a section.
uint32_t PageChecksum(std::span<const std::byte> page);
// Appends the checksums of all pages of a section to `checksums`.
void AppendPageChecksums(std::span<const std::byte> section, std::vector<uint32_t>& checksums);
// Appends the two upper levels to the checksums of all pages. They are then the bytes of
// kPageChecksums.
void SealPageChecksums(std::vector<uint32_t>& checksums);

// The three levels of checksums as views of the file.
struct StoredPageChecksums {
  std::span<const uint32_t> pages;
  std::span<const uint32_t> upper;  // one for each page of the bytes of `pages`
  uint32_t root = 0;

  // The bytes that upper[page] covers. Requires page < upper.size().
  std::span<const std::byte> PageOfChecksums(uint64_t page) const {
    const uint64_t first = page * kChecksumsPerPage;
    return std::as_bytes(pages.subspan(first, std::min(kChecksumsPerPage, pages.size() - first)));
  }
};

class PageChecksums {
 public:
  // sections: the section table, which must be checked (HeaderPage::Read). Returns nullopt if there
  // is no kPageChecksums, or if its size does not fit the other sections.
  static std::optional<StoredPageChecksums> Find(std::span<const std::byte> file,
                                                 std::span<const SectionEntry> sections);

  // The file must outlive the object. verified: true if all pages count as verified, for readers
  // that look for damage themselves.
  PageChecksums(std::span<const std::byte> file, std::span<const SectionEntry> sections,
                const StoredPageChecksums& stored, bool verified);

  const StoredPageChecksums& stored() const { return stored_; }
  // True if the root matches the second level. Reads a millionth of the file.
  bool RootMatches() const;

  // True if all pages of [offset, offset + size_bytes) of a section were verified before. Reads
  // none of them. Like the functions below, it requires a known kind and a range inside the
  // section.
  bool WereVerified(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (size_bytes == 0) return true;
    const auto [first, last] = PagesOfRange(kind, offset, size_bytes);
    return first == last ? IsVerified(first) : AreVerified(first, last);
  }
  // True if the checksums of all these pages match. Reads only pages that were not verified before.
  bool Check(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  // The checksums that Check reads for this range.
  std::span<const std::byte> ChecksumsOf(SectionKind kind, uint64_t offset,
                                         uint64_t size_bytes) const;
  // The offset in the section of the first page of the range whose checksum does not match.
  std::optional<uint64_t> FindDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;

 private:
  struct Section {
    std::span<const std::byte> bytes;
    uint64_t first_page = 0;  // its index in StoredPageChecksums::pages
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
  // A bit for each page, then one for each page of checksums. Loads and stores are relaxed, because
  // the bytes that a bit stands for never change.
  std::unique_ptr<std::atomic<uint64_t>[]> verified_;
};

}  // namespace pmdex
