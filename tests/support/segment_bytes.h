// The bytes of a segment file, to damage on purpose: sections can be rewritten in place and all
// checksums set right again, so that only structural checks are left to notice. Checksums alone are
// ResealSegment, which takes bytes of any kind.
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
  // Writes the input as segment 1 to a directory in memory. Requires that this works.
  explicit SegmentBytes(SegmentInput& input);

  std::vector<std::byte>& bytes() { return bytes_; }
  FileHeader& header() { return *reinterpret_cast<FileHeader*>(bytes_.data()); }
  SectionEntry& entry(SectionKind kind);
  std::span<std::byte> section(SectionKind kind);
  // The index-th T of a section.
  template <typename T>
  T& at(SectionKind kind, size_t index) {
    return reinterpret_cast<T*>(section(kind).data())[index];
  }
  // The entry of a term.
  DictionaryEntry& term_entry(FieldId field, std::string_view term);
  // What its block says of its documents (documents_place.h).
  std::byte* documents_place(FieldId field, std::string_view term);

  void Reseal() { ResealSegment(bytes_); }
  std::unique_ptr<ReadableFile> file() const { return std::make_unique<MemoryFile>(bytes_); }
  absl::StatusOr<std::shared_ptr<const Segment>> Open() const {
    return Segment::Open(file(), "segment", std::nullopt);
  }

 private:
  std::vector<std::byte> bytes_;
};

// 301 documents in two fields with lists of every representation, short and long terms, page marks
// and escapes.
std::unique_ptr<VectorSegmentInput> MakeSmallInput(VectorSegmentOptions options);

}  // namespace pmdex
