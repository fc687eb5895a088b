// Copies the sections of a segment that the two tiers have in common to another file: most as they
// are, and the dictionary with other places of the extents. Walks over the lists and the ids for
// the sections that differ. Belongs to one thread; source and file
// must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_iterator.h"
#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

// Calls visit(entry, bucket) for the list of each term of the segment in order; bucket is 0 for an
// inline list. Ends with the first error, of the segment or of `visit`.
template <typename F>
absl::Status ForEachList(const Segment& segment, F visit) {
  for (size_t field = 0; field < segment.fields().size(); ++field) {
    TermIterator terms(segment.dictionary(), static_cast<FieldId>(field));
    while (terms.Next()) {
      PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, terms.entry());
      const TermLine& line = terms.parts();
      PMDEX_RETURN_IF_ERROR(visit(entry, line.is_inline() ? 0 : BucketOf(line)));
    }
    PMDEX_RETURN_IF_ERROR(terms.status());
  }
  return absl::OkStatus();
}

// Calls visit(id) for each document in order. Ends with the first error of the segment.
template <typename F>
absl::Status ForEachId(const Segment& segment, F visit) {
  std::string buffer;
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id, segment.doc_id(doc, buffer));
    visit(id);
  }
  return absl::OkStatus();
}

class SegmentCopier {
 public:
  SegmentCopier(const Segment& source, SegmentFileWriter& file)
      : source_(source), file_(file), extents_(source.dictionary().entries().size()) {}

  // The sections between the positions and the dictionary, and those behind the ids, which are the
  // same in both tiers.
  static constexpr std::array kOfBlocks = {SectionKind::kBlockLastDocs, SectionKind::kBlockBounds,
                                           SectionKind::kFreqOverflow, SectionKind::kUnitFreqs};
  static constexpr std::array kBehindIds = {SectionKind::kStoredChunks, SectionKind::kStoredBytes,
                                            SectionKind::kNumericColumns};

  // Copies a section that the source has.
  absl::Status CopySection(SectionKind kind);
  // Copies those of the sections that the source has, in this order.
  absl::Status Copy(std::span<const SectionKind> kinds);

  // The new postings_offset of the list in this bucket.
  void SetExtent(uint32_t bucket, uint64_t offset) { extents_[bucket] = offset; }
  // Copies the sections of the dictionary with the new places, and representations of the other
  // tier. Requires that all extents were set.
  absl::Status CopyDictionary();
  // The header of the other file.
  FileHeader Header(uint64_t segment_id) const;

 private:
  absl::Status CopyEntries();
  absl::Status CopyTermBlocks();
  DictionaryEntry Moved(DictionaryEntry entry, uint64_t bucket) const;

  const Segment& source_;
  SegmentFileWriter& file_;
  std::vector<uint64_t> extents_;  // by bucket
};

}  // namespace pmdex
