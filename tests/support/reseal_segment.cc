#include "tests/support/reseal_segment.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/segment/file/page_checksums.h"
#include "engine/segment/format.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

bool LiesInside(const SectionEntry& entry, std::span<const std::byte> bytes) {
  return entry.offset <= bytes.size() && entry.size_bytes <= bytes.size() - entry.offset;
}

void ResealPages(std::span<std::byte> bytes, std::span<SectionEntry> entries) {
  std::vector<uint32_t> checksums;
  SectionEntry* own = nullptr;
  for (SectionEntry& entry : entries) {
    if (entry.kind == SectionKind::kPageChecksums) {
      own = &entry;
    } else if (LiesInside(entry, bytes)) {
      AppendPageChecksums(bytes.subspan(entry.offset, entry.size_bytes), checksums);
    }
  }
  if (own == nullptr) return;
  SealPageChecksums(checksums);
  const auto content = std::as_bytes(std::span(checksums));
  if (own->offset > bytes.size() || content.size() > bytes.size() - own->offset) return;
  own->size_bytes = content.size();
  std::memcpy(bytes.data() + own->offset, content.data(), content.size());
}

}  // namespace

void ResealSegment(std::span<std::byte> bytes) {
  if (bytes.size() < kHeaderPageBytes) return;
  const auto& header = *reinterpret_cast<const FileHeader*>(bytes.data());
  const std::span<SectionEntry> entries(
      reinterpret_cast<SectionEntry*>(bytes.data() + sizeof(FileHeader)),
      std::min<size_t>(header.section_count, kMaxSections));
  ResealPages(bytes, entries);
  for (SectionEntry& entry : entries) {
    if (!LiesInside(entry, bytes)) continue;
    entry.checksum = Xxh3(bytes.subspan(entry.offset, entry.size_bytes));
  }
  const uint32_t crc = Crc32c(bytes.first(kHeaderCrcOffset));
  std::memcpy(bytes.data() + kHeaderCrcOffset, &crc, sizeof(crc));
}

}  // namespace pmdex
