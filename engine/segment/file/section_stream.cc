#include "engine/segment/file/section_stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/segment/file/page_checksums.h"
#include "pmem/check.h"

namespace pmdex {

static_assert(SectionStream::kMaxStagingBytes % kPageBytes == 0);

SectionStream::SectionStream(WritableFile& file, SectionKind kind, uint64_t offset,
                             uint64_t limit_bytes)
    : file_(file),
      kind_(kind),
      offset_(offset),
      limit_bytes_(limit_bytes),
      staging_bytes_(std::clamp(AlignUp(limit_bytes, kSectionAlignment),
                                uint64_t{kSectionAlignment}, kMaxStagingBytes)),
      staging_(std::make_unique_for_overwrite<std::byte[]>(staging_bytes_)) {
  PMDEX_CHECK(offset % kSectionAlignment == 0);
}

void SectionStream::AppendSlowly(std::span<const std::byte> bytes) {
  if (bytes.size() > limit_bytes_ - size_bytes_) {
    overran_ = true;
    return;
  }
  size_bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (staged_ == 0 && bytes.size() >= std::max<size_t>(staging_bytes_, kPageBytes)) {
      const size_t whole = bytes.size() / kPageBytes * kPageBytes;
      Write(bytes.first(whole));
      bytes = bytes.subspan(whole);
      continue;
    }
    const size_t part = std::min(bytes.size(), staging_bytes_ - staged_);
    std::memcpy(staging_.get() + staged_, bytes.data(), part);
    staged_ += part;
    bytes = bytes.subspan(part);
    if (staged_ == staging_bytes_) FlushStaging();
  }
}

void SectionStream::PadTo(uint64_t size_bytes) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  while (size_bytes_ < size_bytes && !overran_) {
    Append(std::span(kZeros).first(std::min<uint64_t>(kZeros.size(), size_bytes - size_bytes_)));
  }
}

void SectionStream::AddToChecksums(std::span<const std::byte> pages) {
  // Each page is read twice in a row, so that it is in the cache the second time.
  for (size_t at = 0; at < pages.size(); at += kPageBytes) {
    const std::span page = pages.subspan(at, std::min<size_t>(kPageBytes, pages.size() - at));
    checksum_.Update(page);
    AppendPageChecksums(page, page_checksums_);
  }
}

void SectionStream::Write(std::span<const std::byte> pages) {
  PMDEX_CHECK(written_bytes_ % kPageBytes == 0);
  AddToChecksums(pages);
  file_.CopyNonTemporal(offset_ + written_bytes_, pages);
  written_bytes_ += pages.size();
}

void SectionStream::FlushStaging() {
  Write(std::span(staging_.get(), staged_));
  staged_ = 0;
}

SectionEntry SectionStream::Finish() {
  if (staged_ > 0) {
    PMDEX_CHECK(written_bytes_ % kPageBytes == 0);
    AddToChecksums(std::span(staging_.get(), staged_));
    const size_t padded = AlignUp(staged_, kSectionAlignment);
    std::memset(staging_.get() + staged_, 0, padded - staged_);
    file_.CopyNonTemporal(offset_ + written_bytes_, std::span(staging_.get(), padded));
    staged_ = 0;
  }
  // Searches give the same results without signatures.
  const uint32_t flags = kind_ == SectionKind::kTermSignatures ? 0 : kSectionRequired;
  return {kind_, flags, offset_, size_bytes_, checksum_.Digest()};
}

}  // namespace pmdex
