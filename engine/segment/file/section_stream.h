// Writes one section of a segment file front to back: bytes gather in a staging buffer of whole
// media lines and leave it by non-temporal copies, checksummed on the way: the section and each of
// its pages. Large appends pass the buffer by. Belongs to one thread; the file must outlive it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/check.h"
#include "pmem/checksum.h"
#include "pmem/directory.h"

namespace pmdex {

class SectionStream {
 public:
  // The size of the staging buffer: whole pages. The buffer of a smaller section holds all of it.
  static constexpr uint64_t kMaxStagingBytes = uint64_t{1} << 20;

  // Requires offset to be a multiple of kSectionAlignment, and that [offset, offset + limit_bytes
  // rounded up to it) lies inside the file.
  SectionStream(WritableFile& file, SectionKind kind, uint64_t offset, uint64_t limit_bytes);

  void Append(std::span<const std::byte> bytes) {
    if (bytes.size() >= staging_bytes_ - staged_ || bytes.size() > limit_bytes_ - size_bytes_) {
      AppendSlowly(bytes);
      return;
    }
    std::copy(bytes.begin(), bytes.end(), staging_.get() + staged_);  // perhaps none, from nowhere
    staged_ += bytes.size();
    size_bytes_ += bytes.size();
  }
  template <typename T>
  void AppendArray(std::span<const T> values) {
    Append(std::as_bytes(values));
  }
  template <typename T>
  void AppendValue(const T& value) {
    if (sizeof(T) >= staging_bytes_ - staged_ || sizeof(T) > limit_bytes_ - size_bytes_) {
      AppendSlowly(std::as_bytes(std::span<const T, 1>(&value, 1)));
      return;
    }
    std::memcpy(staging_.get() + staged_, &value, sizeof(T));  // its size is known: no call
    staged_ += sizeof(T);
    size_bytes_ += sizeof(T);
  }
  // The same for a value that make(value) fills as a whole, where it goes when that is possible: a
  // copy of what was just made of pieces would wait for them. Requires that all that was appended
  // before is a multiple of T's alignment.
  template <typename T, typename Make>
  void AppendMade(Make make) {
    PMDEX_DCHECK(staged_ % alignof(T) == 0);
    if (sizeof(T) >= staging_bytes_ - staged_ || sizeof(T) > limit_bytes_ - size_bytes_) {
      T value;
      make(value);
      AppendSlowly(std::as_bytes(std::span<const T, 1>(&value, 1)));
      return;
    }
    make(*new (staging_.get() + staged_) T);
    staged_ += sizeof(T);
    size_bytes_ += sizeof(T);
  }
  // Zeros up to position size_bytes of the section.
  void PadTo(uint64_t size_bytes);

  uint64_t size_bytes() const { return size_bytes_; }
  // More than limit_bytes was appended; what went beyond was dropped.
  bool overran() const { return overran_; }

  // Writes what is left, with zeros to the end of its line, and returns the section's entry.
  SectionEntry Finish();
  // One a page of the section (page_checksums.h). Requires Finish.
  std::span<const uint32_t> page_checksums() const { return page_checksums_; }

 private:
  // Whole pages, but for the last call: of the section only, not the padding.
  void AddToChecksums(std::span<const std::byte> pages);
  // Fills the staging buffer, or goes beyond the limit.
  void AppendSlowly(std::span<const std::byte> bytes);
  void Write(std::span<const std::byte> pages);
  void FlushStaging();

  WritableFile& file_;
  const SectionKind kind_;
  const uint64_t offset_;
  const uint64_t limit_bytes_;
  const size_t staging_bytes_;
  std::unique_ptr<std::byte[]> staging_;
  size_t staged_ = 0;
  uint64_t size_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  bool overran_ = false;
  Xxh3Stream checksum_;
  std::vector<uint32_t> page_checksums_;
};

}  // namespace pmdex
