// Writes the frame of a segment file: it aligns the sections, fills the space between them with
// zeros, and writes the page checksums and the header page. segment_writer.h fills the sections.
//
// For each section call Start, append to the stream, and call Finish. Call Close at the end.
//
// If the file is too small, or if a section exceeds its limit, the functions return kInternal and
// overran() becomes true. Belongs to one thread; the file must outlive it.
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
  // An upper bound of the memory of the page checksums while a file of file_bytes is written.
  static uint64_t EstimateMemory(uint64_t file_bytes);

  explicit SegmentFileWriter(WritableFile& file) : file_(file), end_(kHeaderPageBytes) {}

  // Starts the next section, which may have at most limit_bytes.
  absl::StatusOr<SectionStream> Start(SectionKind kind, uint64_t limit_bytes);
  // The limit of a section that may take what is left of the file.
  uint64_t left_bytes() const {
    const uint64_t begin = AlignUp(end_, kSectionAlignment);
    const uint64_t capacity = file_.capacity_bytes();
    return begin < capacity ? (capacity - begin) / kSectionAlignment * kSectionAlignment : 0;
  }
  // Starts two sections that are filled at the same time. The second begins behind the limit of the
  // first. first, second: kind and limit_bytes.
  absl::StatusOr<std::pair<SectionStream, SectionStream>> StartTwo(
      std::pair<SectionKind, uint64_t> first, std::pair<SectionKind, uint64_t> second);
  // Returns kInternal if the section has exceeded its limit.
  absl::Status CheckLimit(const SectionStream& stream);
  // Ends a section. Requires that sections are finished in the order in which they were started.
  absl::Status Finish(SectionStream& stream);
  // Writes a section that consists of these values.
  template <typename T>
  absl::Status WriteArray(SectionKind kind, std::span<const T> values) {
    PMDEX_ASSIGN_OR_RETURN(SectionStream stream, Start(kind, values.size_bytes()));
    stream.AppendArray(values);
    return Finish(stream);
  }

  // Writes the page checksums and the header page. Call it once, after the last Finish. header: the
  // caller sets segment_id, doc_count, field_count and flags; this call sets the other members. The
  // file is drained on return, but not sealed.
  absl::Status Close(FileHeader header);

  bool overran() const { return overran_; }
  // The length of the file, for WritableFile::Seal.
  uint64_t file_bytes() const { return AlignUp(end_, kSectionAlignment); }
  // Requires Close.
  uint32_t header_crc() const { return header_crc_; }

 private:
  absl::Status Overrun();
  absl::Status WriteHeaderPage(FileHeader header);
  void ZeroFill(uint64_t begin, uint64_t end);

  WritableFile& file_;
  uint64_t end_;  // where the last section ends
  std::vector<SectionEntry> sections_;
  std::vector<uint32_t> page_checksums_;  // of the finished sections
  uint32_t header_crc_ = 0;
  bool overran_ = false;
};

}  // namespace pmdex
