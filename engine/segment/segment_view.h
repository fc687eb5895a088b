// The bounds-checked way to the bytes of a segment file: the only code that makes pointers from
// offsets found in the file. Owns the mapping. Immutable after Open, thread-safe.
//
// The header page is a copy: what was checked once stays true when the medium loses the page and
// the mapping turns to zeros (pmem/fault_guard.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

std::string_view ToString(
    SectionKind kind);  // "postings", "term slots", ...; "section N" when unknown

class SegmentView {
 public:
  SegmentView() = default;

  // Checks magic, byte order, version, length, header CRC, and that the sections are aligned,
  // inside the file, in ascending order without overlap, and of no kind twice.
  static absl::StatusOr<SegmentView> Open(std::unique_ptr<ReadableFile> file,
                                          std::string file_name);

  const std::string& file_name() const { return file_name_; }
  const FileHeader& header() const;
  uint32_t header_crc() const;  // the stored one (checked by Open)
  std::span<const SectionEntry> sections() const;
  std::span<const std::byte> bytes() const { return file_->bytes(); }
  const ReadableFile& file() const { return *file_; }

  // The whole section; empty when the file has none of this kind.
  std::span<const std::byte> Section(SectionKind kind) const;

  // [offset, offset + size_bytes) of a section; kDataLoss naming file, section and offset when it
  // does not lie inside. Safe for every uint64 value.
  absl::StatusOr<std::span<const std::byte>> Slice(SectionKind kind, uint64_t offset,
                                                   uint64_t size_bytes) const;

  // count elements of T at element index `first` of a section of T.
  template <typename T>
  absl::StatusOr<std::span<const T>> Array(SectionKind kind, uint64_t first, uint64_t count) const;

  // "FILE: section NAME: offset N: WHAT" as kDataLoss.
  absl::Status Damage(SectionKind kind, uint64_t offset, std::string_view what) const;

 private:
  std::string file_name_;
  std::unique_ptr<ReadableFile> file_;
  std::unique_ptr<std::byte[]> header_page_;
};

template <typename T>
absl::StatusOr<std::span<const T>> SegmentView::Array(SectionKind kind, uint64_t first,
                                                      uint64_t count) const {
  const std::span<const std::byte> section = Section(kind);
  const uint64_t elements = section.size() / sizeof(T);
  if (first > elements || count > elements - first) {
    return Damage(kind, first, "an element index points outside");
  }
  return std::span<const T>(reinterpret_cast<const T*>(section.data()) + first, count);
}

}  // namespace pmdex
