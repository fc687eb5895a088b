// The bytes of a sound segment file, for tests that damage them. Tests change sections in place and
// then compute all checksums again, so that only structural checks can detect the damage.
// ResealSegment computes checksums for any bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/segment.h"
#include "tests/support/memory_file.h"
#include "tests/support/reseal_segment.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

class SegmentBytes {
 public:
  // Writes the input as segment 1 in memory. Requires that writing succeeds.
  explicit SegmentBytes(SegmentInput& input);
  explicit SegmentBytes(const Segment& segment)
      : bytes_(segment.view().bytes().begin(), segment.view().bytes().end()) {}

  std::vector<std::byte>& bytes() { return bytes_; }
  FileHeader& header() { return *reinterpret_cast<FileHeader*>(bytes_.data()); }
  SectionEntry& entry(SectionKind kind);
  std::span<std::byte> section(SectionKind kind);
  // The element of this index in a section that is an array of T.
  template <typename T>
  T& at(SectionKind kind, size_t index) {
    return reinterpret_cast<T*>(section(kind).data())[index];
  }
  // All buckets of the hash table of frequent terms.
  std::span<DictionaryEntry> entries();
  // The dictionary entry of a frequent term.
  DictionaryEntry& term_entry(FieldId field, std::string_view term);
  // What its line says behind the bytes of the term (term_line.h).
  std::span<std::byte> line_rest(FieldId field, std::string_view term);

  void Reseal() { ResealSegment(bytes_); }
  std::unique_ptr<ReadableFile> file() const { return std::make_unique<MemoryFile>(bytes_); }
  absl::StatusOr<std::shared_ptr<const Segment>> Open() const {
    return Segment::Open(file(), "segment", std::nullopt);
  }

 private:
  std::vector<std::byte> bytes_;
};

// An input of 301 documents with two fields. It has lists of every representation, short and long
// terms that are rare or frequent, page marks and escapes.
std::unique_ptr<VectorSegmentInput> MakeSmallInput(VectorSegmentOptions options);

}  // namespace pmdex
