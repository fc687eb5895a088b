// Puts sections one after the other into a segment file: each aligned, zeros between them, behind
// the last one the checksums of all their pages, and at last the header page, which names and
// covers them all. What is in the sections is segment_writer's to know.
//
// Start -> (fill the stream) -> Finish, section by section -> Close
//
// A file that is too small, or a section that outgrows its limit, is kInternal, and `overran` tells
// it from failures of the medium. Belongs to one thread; the file must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

class SegmentFileWriter {
 public:
  // The most bytes that the page checksums of a file of file_bytes take while it is written.
  static uint64_t EstimateMemory(uint64_t file_bytes);

  explicit SegmentFileWriter(WritableFile& file) : file_(file), end_(kHeaderPageBytes) {}

  // The next section, of at most limit_bytes.
  absl::StatusOr<SectionStream> Start(SectionKind kind, uint64_t limit_bytes);
  // Two sections that grow side by side: the second starts where the first may end. Kinds and
  // limits.
  absl::StatusOr<std::pair<SectionStream, SectionStream>> StartTwo(
      std::pair<SectionKind, uint64_t> first, std::pair<SectionKind, uint64_t> second);
  // Whether the section kept to its limit so far.
  absl::Status CheckLimit(const SectionStream& stream);
  // Ends a section. Requires that sections end in the order in which they were started.
  absl::Status Finish(SectionStream& stream);
  // A section of these values and nothing else.
  template <typename T>
  absl::Status WriteArray(SectionKind kind, std::span<const T> values) {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream, Start(kind, values.size_bytes()));
    stream.AppendArray(values);
    return Finish(stream);
  }

  // Once, behind the last section: page checksums, header page. `header`: the segment's part of it
  // (id, documents, fields, flags); the rest is set here. Drained on return, not sealed.
  absl::Status Close(FileHeader header);

  bool overran() const { return overran_; }
  // What Seal keeps of the file.
  uint64_t file_bytes() const { return AlignUp(end_, kSectionAlignment); }
  // Requires Close.
  uint32_t header_crc() const { return header_crc_; }

 private:
  absl::Status Overrun();
  absl::Status WriteHeaderPage(FileHeader header);
  void ZeroFill(uint64_t begin, uint64_t end);

  WritableFile& file_;
  uint64_t end_;  // of the last section
  std::vector<SectionEntry> sections_;
  std::vector<uint32_t> page_checksums_;  // of the sections so far
  uint32_t header_crc_ = 0;
  bool overran_ = false;
};

}  // namespace pmdex
