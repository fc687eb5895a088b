// Checked access to the bytes of a mapped segment file. Only this class makes pointers from offsets
// that were found in the file. Slice and Array check that the bytes lie inside their section, and
// verify the pages that they touch (page_checksums.h). Code that keeps a raw section for speed
// calls Verify before it reads from it.
//
// Copies of a view share the mapping and the copy of the header page. Immutable after Open;
// thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/segment/file/header_page.h"
#include "engine/segment/file/page_checksums.h"
#include "engine/segment/file/page_requests.h"
#include "engine/segment/file/uncached_units.h"
#include "engine/segment/format.h"
#include "engine/segment/sticky_status.h"
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
  // A view of the same file that does not verify pages, for code that looks for damage itself.
  // Requires a view that Open returned.
  SegmentView WithoutPageChecks() const;

  const std::string& file_name() const { return file_name_; }
  const FileHeader& header() const { return header_page_.header(); }
  uint32_t header_crc() const { return header_page_.crc(); }
  bool is_compressed() const { return (header().flags & kSegmentIsCompressed) != 0; }
  // The section of the extents of lists.
  SectionKind extents() const {
    return is_compressed() ? SectionKind::kCompressedUnits : SectionKind::kPostings;
  }
  // How units are read past the page cache; nullptr if they are read from the mapping. Only
  // UnitReader reads them so. ReadUncached is called before the view is shared.
  const UncachedUnits* uncached_units() const { return uncached_units_.get(); }
  void ReadUncached(UncachedUnits units) {
    uncached_units_ = std::make_shared<const UncachedUnits>(std::move(units));
  }
  std::span<const SectionEntry> sections() const { return header_page_.sections(); }
  std::span<const std::byte> bytes() const { return file_->bytes(); }
  const ReadableFile& file() const { return *file_; }

  // All bytes of a section; their pages are not verified. Empty if the file has no section of this
  // kind or if this program does not know the kind. Call Verify before reading from it.
  std::span<const std::byte> RawSection(SectionKind kind) const {
    const auto number = static_cast<uint32_t>(kind);
    return number < raw_.size() ? raw_[number] : std::span<const std::byte>();
  }

  // The same as an array. Bytes behind the last whole element are left out.
  template <typename T>
  std::span<const T> RawArray(SectionKind kind) const {
    const std::span<const std::byte> section = RawSection(kind);
    return {reinterpret_cast<const T*>(section.data()), section.size() / sizeof(T)};
  }

  // Verifies the checksums of the pages of [offset, offset + size_bytes) of a section. Returns
  // kDataLoss with the file, section and page if one does not match. Reads a page the first time in
  // this process; later it costs a bit test. Requires that the range lies inside the section.
  absl::Status Verify(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (pages_->WereVerified(kind, offset, size_bytes)) [[likely]]
      return absl::OkStatus();
    return VerifyNow(kind, offset, size_bytes);
  }
  // True if all these pages were verified before in this process. Requires that the range lies
  // inside the section.
  bool WasVerified(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    return pages_->WereVerified(kind, offset, size_bytes);
  }

  // Begins to read from the medium what Verify of the range will read, and does not wait for it.
  // Asks for each page once in this process. Cuts the range to the section, so any values are
  // allowed.
  void Prefetch(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    const uint64_t section_bytes = RawSection(kind).size();
    if (offset >= section_bytes) return;
    size_bytes = std::min(size_bytes, section_bytes - offset);
    if (!WasVerified(kind, offset, size_bytes) && !WasAsked(kind, offset, size_bytes)) {
      Ask(kind, offset, size_bytes);
    }
  }
  // The same for a larger range, for callers that will soon read bytes around it. The range is
  // extended to multiples of unit_bytes. Requires that unit_bytes is a multiple of kPageBytes.
  void PrefetchAround(SectionKind kind, uint64_t offset, uint64_t size_bytes,
                      uint64_t unit_bytes) const;

  // The same, and prefetches the first `lines` cache lines of the range into the CPU's cache, if
  // the medium need not be asked.
  void PrefetchFirst(SectionKind kind, uint64_t offset, uint64_t size_bytes, size_t lines) const {
    const std::span<const std::byte> section = RawSection(kind);
    if (offset >= section.size()) return;
    size_bytes = std::min(size_bytes, section.size() - offset);
    if (!WasVerified(kind, offset, size_bytes) && !WasAsked(kind, offset, size_bytes)) {
      return Ask(kind, offset, size_bytes);
    }
    constexpr size_t kLineBytes = 64;
    const std::byte* const first = section.data() + offset;
    for (size_t at = 0; at < std::min(size_bytes, lines * kLineBytes); at += kLineBytes) {
      PrefetchLine(first + at);
    }
  }

  // For a few bytes that will be read soon. Prefetches them from the medium, or into the CPU's
  // cache if they were verified before. Requires that the range lies inside the section.
  void Fetch(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (WasVerified(kind, offset, size_bytes)) {
      PrefetchLine(RawSection(kind).data() + offset);
    } else {
      Prefetch(kind, offset, size_bytes);
    }
  }

  // The bytes [offset, offset + size_bytes) of a section; their pages are not verified. Returns
  // kDataLoss if they do not lie inside. Any values are allowed.
  absl::StatusOr<std::span<const std::byte>> Inside(SectionKind kind, uint64_t offset,
                                                    uint64_t size_bytes) const;
  // The same with verified pages. Returns kDataLoss with the file, section and offset if the bytes
  // do not lie inside or a page is damaged. Any values are allowed.
  absl::StatusOr<std::span<const std::byte>> Slice(SectionKind kind, uint64_t offset,
                                                   uint64_t size_bytes) const;

  // The elements [first, first + count) of a section that is an array of T, checked as by Slice.
  template <typename T>
  absl::StatusOr<std::span<const T>> Array(SectionKind kind, uint64_t first, uint64_t count) const;

  // Keeps the first damage that is reported, for code that decodes mapped bytes where it cannot
  // return a status. Segment::Health returns it.
  void ReportDamage(const absl::Status& damage) const { damage_->Set(damage); }
  absl::Status reported_damage() const { return damage_->Get(); }
  bool has_reported_damage() const { return !damage_->ok(); }

  // The kDataLoss error "FILE: section NAME: offset N: WHAT".
  absl::Status Damage(SectionKind kind, uint64_t offset, std::string_view what) const;
  // The same where the offset is not known: "FILE: section NAME: WHAT".
  absl::Status Damage(SectionKind kind, std::string_view what) const;

 private:
  // True if Ask has nothing to do: the checksums of pages are asked for with the pages. Requires
  // that the range lies inside the section.
  bool WasAsked(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
    if (requests_ == nullptr) return true;
    const auto begin = static_cast<uint64_t>(RawSection(kind).data() - bytes().data());
    return requests_->WereAsked(begin + offset, size_bytes);
  }
  void Ask(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status VerifyNow(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status OutsideDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;
  absl::Status PageDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const;

  std::string file_name_;
  std::shared_ptr<const ReadableFile> file_;
  HeaderPage header_page_;
  std::array<std::span<const std::byte>, static_cast<size_t>(kLastKnownSection) + 1> raw_;
  std::unique_ptr<const PageChecksums> pages_;
  std::unique_ptr<StickyStatus> damage_ = std::make_unique<StickyStatus>();
  std::shared_ptr<const UncachedUnits> uncached_units_;
  std::unique_ptr<PageRequests> requests_;  // nullptr in views without page checks
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
