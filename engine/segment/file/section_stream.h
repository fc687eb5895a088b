// Writes one section of a segment file from front to back. It gathers bytes in a staging buffer,
// copies the buffer to the file with CopyNonTemporal when it is full, and computes the checksums of
// the section and of each of its pages. Large pieces are copied without the buffer. Belongs to one
// thread; the file must outlive it.
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
  // The size of the staging buffer. The buffer of a smaller section is as large as the section.
  static constexpr uint64_t kMaxStagingBytes = uint64_t{1} << 20;

  // limit_bytes: the most bytes that the section may have. Requires that offset is a multiple of
  // kSectionAlignment, and that so many bytes, rounded up to that, lie in the file behind offset.
  SectionStream(WritableFile& file, SectionKind kind, uint64_t offset, uint64_t limit_bytes);

  void Append(std::span<const std::byte> bytes) {
    if (bytes.size() >= staging_bytes_ - staged_ || bytes.size() > limit_bytes_ - size_bytes_) {
      AppendSlowly(bytes);
      return;
    }
    std::copy(bytes.begin(), bytes.end(), staging_.get() + staged_);  // data() may be nullptr
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
    std::memcpy(staging_.get() + staged_, &value, sizeof(T));  // of a fixed size, hence inlined
    staged_ += sizeof(T);
    size_bytes_ += sizeof(T);
  }
  // Appends a value that make(value) fills in place if possible. A copy of a value that was just
  // written in small pieces would wait until these stores have left the core. Requires that make
  // fills all of the value, and that size_bytes() is a multiple of alignof(T).
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
  // Appends zeros until the section has size_bytes.
  void PadTo(uint64_t size_bytes);

  uint64_t size_bytes() const { return size_bytes_; }
  // True if more than limit_bytes were appended. The bytes behind the limit were dropped.
  bool overran() const { return overran_; }

  // Writes the rest of the buffer, with zeros up to a multiple of kSectionAlignment, and returns
  // the section's entry for the header page. Call it once, at the end.
  SectionEntry Finish();
  // The checksum of each page of the section (page_checksums.h). Requires Finish.
  std::span<const uint32_t> page_checksums() const { return page_checksums_; }

 private:
  // Takes whole pages of the section, without padding. The last page may be shorter.
  void AddToChecksums(std::span<const std::byte> pages);
  // For pieces that fill the staging buffer or go beyond the limit.
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
