// The checked way to the bytes of a segment file: the only code that makes pointers from offsets
// found in the file. Slice and Array look whether the bytes lie inside their section and whether
// the pages that they touch still are what was written (page_checksums.h); code that holds a raw
// section for speed calls Verify before it reads from it.
//
// Shares the mapping and the copy of the header page with other views of the file. Immutable after
// Open, thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/segment/file/header_page.h"
#include "engine/segment/file/page_checksums.h"
#include "engine/segment/file/page_requests.h"
#include "engine/segment/format.h"
#include "pmem/directory.h"
#include "pmem/prefetch.h"
#include "pmem/status.h"

namespace pmdex {

class SegmentView {
 public:
  SegmentView() = default;

  // Checks the header page (header_page.h) and the root of the page checksums.
  static absl::StatusOr<SegmentView> Open(std::shared_ptr<const ReadableFile> file,
                                          std::string file_name);
  // The same file without checks of pages, for those that look for damage themselves. Requires a
  // view from Open.
  SegmentView WithoutPageChecks() const;

  const std::string& file_name() const { return file_name_; }
  const FileHeader& header() const { return header_page_.header(); }
  uint32_t header_crc() const { return header_page_.crc(); }
  std::span<const SectionEntry> sections() const { return header_page_.sections(); }
  std::span<const std::byte> bytes() const { return file_->bytes(); }
  const ReadableFile& file() const { return *file_; }

  // The whole section as it lies there, nothing verified; empty when the file has none of this kind
  // or this program does not know it. For sizes, and to be read behind Verify.
  std::span<const std::byte> RawSection(SectionKind kind) const {
    const auto number = static_cast<uint32_t>(kind);
    return number < raw_.size() ? raw_[number] : std::span<const std::byte>();
  }

  template <typename T>  // whole elements of it
  std::span<const T> RawArray(SectionKind kind) const {
    const std::span<const std::byte> section = RawSection(kind);
    return {reinterpret_cast<const T*>(section.data()), section.size() / sizeof(T)};
  }

  // Whether the pages that [offset, offset + size_bytes) of a section touches are what was written;
  // kDataLoss naming file, section and page when not. Costs a bit test for a page that was read
  // before in this process, a pass over the page the first time. Requires that the range lies
  // inside the section.
  absl::Status Verify(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (pages_->WereVerified(kind, offset, size_bytes)) [[likely]]
      return absl::OkStatus();
    return VerifyNow(kind, offset, size_bytes);
  }
  // Whether all of it was verified before in this process. Same requirements.
  bool WasVerified(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    return pages_->WereVerified(kind, offset, size_bytes);
  }

  // Asks the medium for what Verify of the range will read, once in this process, and does not
  // wait for it: for all that a query needs before any of it is touched. Cut to the section, so
  // safe for every uint64 value.
  void Prefetch(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    const uint64_t section_bytes = RawSection(kind).size();
    if (offset >= section_bytes) return;
    size_bytes = std::min(size_bytes, section_bytes - offset);
    if (!WasVerified(kind, offset, size_bytes)) Ask(kind, offset, size_bytes);
  }
  // The same with what lies around it, for who will soon want most of that: whole multiples of
  // unit_bytes, itself a multiple of kPageBytes.
  void PrefetchAround(SectionKind kind, uint64_t offset, uint64_t size_bytes,
                      uint64_t unit_bytes) const;

  // For little that will be read right away: from the medium when that was not done before in this
  // process, else into the cache of the processor. Requires that the range lies inside the section.
  void Fetch(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (WasVerified(kind, offset, size_bytes)) {
      PrefetchLine(RawSection(kind).data() + offset);
    } else {
      Prefetch(kind, offset, size_bytes);
    }
  }

  // [offset, offset + size_bytes) of a section, not verified; kDataLoss when it does not lie
  // inside. Safe for every uint64 value.
  absl::StatusOr<std::span<const std::byte>> Inside(SectionKind kind, uint64_t offset,
                                                    uint64_t size_bytes) const;
  // [offset, offset + size_bytes) of a section, verified; kDataLoss naming file, section and offset
  // when it does not lie inside or is damaged. Safe for every uint64 value.
  absl::StatusOr<std::span<const std::byte>> Slice(SectionKind kind, uint64_t offset,
                                                   uint64_t size_bytes) const;

  // The same of count elements of T at element index `first` of a section of T.
  template <typename T>
  absl::StatusOr<std::span<const T>> Array(SectionKind kind, uint64_t first, uint64_t count) const;

  // "FILE: section NAME: offset N: WHAT" as kDataLoss.
  absl::Status Damage(SectionKind kind, uint64_t offset, std::string_view what) const;

 private:
  void Ask(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status VerifyNow(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status OutsideDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status PageDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;

  std::string file_name_;
  std::shared_ptr<const ReadableFile> file_;
  HeaderPage header_page_;
  std::array<std::span<const std::byte>, static_cast<size_t>(kLastKnownSection) + 1> raw_;
  std::unique_ptr<const PageChecksums> pages_;
  std::unique_ptr<PageRequests> requests_;  // nullptr: the reader goes front to back
};

template <typename T>
absl::StatusOr<std::span<const T>> SegmentView::Array(SectionKind kind, uint64_t first,
                                                      uint64_t count) const {
  const std::span<const std::byte> section = RawSection(kind);
  const uint64_t elements = section.size() / sizeof(T);
  if (first > elements || count > elements - first) {
    return Damage(kind, first, "an element index points outside");
  }
  PMDEX_RETURN_IF_ERROR(Verify(kind, first * sizeof(T), count * sizeof(T)));
  return std::span<const T>(reinterpret_cast<const T*>(section.data()) + first, count);
}

}  // namespace pmdex
