#include "engine/segment/file/page_checksums.h"

#include <algorithm>

#include "engine/segment/file/header_page.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

void Mark(std::atomic<uint64_t>& word, uint64_t bit) {
  word.fetch_or(uint64_t{1} << (bit % 64), std::memory_order_relaxed);
}

}  // namespace

uint32_t PageChecksum(std::span<const std::byte> page) {
  return static_cast<uint32_t>(Xxh3(page));
}

void AppendPageChecksums(std::span<const std::byte> section, std::vector<uint32_t>& checksums) {
  while (!section.empty()) {
    const size_t part = std::min<size_t>(section.size(), kPageBytes);
    checksums.push_back(PageChecksum(section.first(part)));
    section = section.subspan(part);
  }
}

void SealPageChecksums(std::vector<uint32_t>& checksums) {
  std::vector<uint32_t> upper;
  AppendPageChecksums(std::as_bytes(std::span(checksums)), upper);
  upper.push_back(PageChecksum(std::as_bytes(std::span(upper))));
  checksums.insert(checksums.end(), upper.begin(), upper.end());
}

std::optional<StoredPageChecksums> PageChecksums::Find(std::span<const std::byte> file,
                                                       std::span<const SectionEntry> sections) {
  uint64_t pages = 0;
  const SectionEntry* own = nullptr;
  for (const SectionEntry& entry : sections) {
    if (entry.kind == SectionKind::kPageChecksums) {
      own = &entry;
    } else {
      pages += PagesOf(entry.size_bytes);
    }
  }
  if (own == nullptr || own->size_bytes != PageChecksumsBytes(pages)) return std::nullopt;
  const std::span<const uint32_t> all(reinterpret_cast<const uint32_t*>(file.data() + own->offset),
                                      own->size_bytes / sizeof(uint32_t));
  return StoredPageChecksums{all.first(pages), all.subspan(pages, all.size() - pages - 1),
                             all.back()};
}

PageChecksums::PageChecksums(std::span<const std::byte> file,
                             std::span<const SectionEntry> sections,
                             const StoredPageChecksums& stored, bool verified)
    : stored_(stored) {
  uint64_t first_page = 0;
  for (const SectionEntry& entry : sections) {
    if (entry.kind == SectionKind::kPageChecksums) continue;
    if (IsKnown(entry.kind)) {
      sections_[static_cast<uint32_t>(entry.kind)] = {file.subspan(entry.offset, entry.size_bytes),
                                                      first_page};
    }
    first_page += PagesOf(entry.size_bytes);
  }
  const uint64_t words = (stored.pages.size() + stored.upper.size() + 63) / 64;
  verified_ = std::make_unique<std::atomic<uint64_t>[]>(words);
  for (uint64_t i = 0; verified && i < words; ++i) verified_[i] = ~uint64_t{0};
}

bool PageChecksums::RootMatches() const {
  return PageChecksum(std::as_bytes(stored_.upper)) == stored_.root;
}

bool PageChecksums::AreVerified(uint64_t first, uint64_t last) const {
  for (uint64_t word = first / 64; word <= last / 64; ++word) {
    uint64_t wanted = ~uint64_t{0};
    if (word == first / 64) wanted &= ~uint64_t{0} << (first % 64);
    if (word == last / 64) wanted &= ~uint64_t{0} >> (63 - last % 64);
    if ((verified_[word].load(std::memory_order_relaxed) & wanted) != wanted) return false;
  }
  return true;
}

bool PageChecksums::Check(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
  if (WereVerified(kind, offset, size_bytes)) return true;
  const Section& section = sections_[static_cast<uint32_t>(kind)];
  const auto [first, last] = PagesOfRange(kind, offset, size_bytes);
  for (uint64_t page = first; page <= last; ++page) {
    if (!IsVerified(page) && !VerifyPage(section, page)) return false;
  }
  return true;
}

std::span<const std::byte> PageChecksums::ChecksumsOf(SectionKind kind, uint64_t offset,
                                                      uint64_t size_bytes) const {
  if (size_bytes == 0) return {};
  const auto [first, last] = PagesOfRange(kind, offset, size_bytes);
  const std::span<const std::byte> begin = stored_.PageOfChecksums(first / kChecksumsPerPage);
  const std::span<const std::byte> end = stored_.PageOfChecksums(last / kChecksumsPerPage);
  return {begin.data(), end.data() + end.size()};
}

bool PageChecksums::VerifyPage(const Section& section, uint64_t page) const {
  if (!VerifyChecksumsOf(page)) return false;
  const uint64_t offset = (page - section.first_page) * kPageBytes;
  const uint64_t size_bytes = std::min(kPageBytes, section.bytes.size() - offset);
  if (PageChecksum(section.bytes.subspan(offset, size_bytes)) != stored_.pages[page]) return false;
  Mark(verified_[page / 64], page);
  return true;
}

// Verifies the page of checksums in which the checksum of this page lies.
bool PageChecksums::VerifyChecksumsOf(uint64_t page) const {
  const uint64_t above = page / kChecksumsPerPage;
  const uint64_t bit = stored_.pages.size() + above;
  if (IsVerified(bit)) return true;
  if (PageChecksum(stored_.PageOfChecksums(above)) != stored_.upper[above]) return false;
  Mark(verified_[bit / 64], bit);
  return true;
}

std::optional<uint64_t> PageChecksums::FindDamage(SectionKind kind, uint64_t offset,
                                                  uint64_t size_bytes) const {
  const uint64_t end = offset + size_bytes;
  for (uint64_t at = offset / kPageBytes * kPageBytes; at < end; at += kPageBytes) {
    if (!Check(kind, at, 1)) return at;
  }
  return std::nullopt;
}

}  // namespace pmdex
