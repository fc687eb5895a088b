#include "engine/segment/file/segment_file_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/segment/file/page_checksums.h"
#include "pmem/checksum.h"

namespace pmdex {

uint64_t SegmentFileWriter::EstimateMemory(uint64_t file_bytes) {
  // page_checksums_ and those of the section that is being written are vectors that double.
  return 4 * PageChecksumsBytes(PagesOf(file_bytes));
}

absl::Status SegmentFileWriter::Overrun() {
  overran_ = true;
  return MakeStatus(absl::StatusCode::kInternal, "a section outgrew its plan");
}

absl::StatusOr<SectionStream> SegmentFileWriter::Start(SectionKind kind, uint64_t limit_bytes) {
  const uint64_t offset = AlignUp(end_, kSectionAlignment);
  const uint64_t capacity = file_.capacity_bytes();
  if (offset > capacity || AlignUp(limit_bytes, kSectionAlignment) > capacity - offset) {
    return Overrun();
  }
  return SectionStream(file_, kind, offset, limit_bytes);
}

absl::StatusOr<std::pair<SectionStream, SectionStream>> SegmentFileWriter::StartTwo(
    std::pair<SectionKind, uint64_t> first, std::pair<SectionKind, uint64_t> second) {
  PMDEX_ASSIGN_OR_RETURN(SectionStream first_stream, Start(first.first, first.second));
  const uint64_t end = std::exchange(end_, AlignUp(end_, kSectionAlignment) + first.second);
  PMDEX_ASSIGN_OR_RETURN(SectionStream second_stream, Start(second.first, second.second));
  end_ = end;
  return std::pair(std::move(first_stream), std::move(second_stream));
}

absl::Status SegmentFileWriter::CheckLimit(const SectionStream& stream) {
  return stream.overran() ? Overrun() : absl::OkStatus();
}

absl::Status SegmentFileWriter::Finish(SectionStream& stream) {
  PMDEX_RETURN_IF_ERROR(CheckLimit(stream));
  const SectionEntry entry = stream.Finish();
  ZeroFill(AlignUp(end_, kSectionAlignment), entry.offset);
  end_ = entry.offset + entry.size_bytes;
  sections_.push_back(entry);
  const std::span<const uint32_t> pages = stream.page_checksums();
  page_checksums_.insert(page_checksums_.end(), pages.begin(), pages.end());
  return absl::OkStatus();
}

void SegmentFileWriter::ZeroFill(uint64_t begin, uint64_t end) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  while (begin < end) {
    const uint64_t part = std::min<uint64_t>(kZeros.size(), end - begin);
    file_.CopyNonTemporal(begin, std::span(kZeros).first(part));
    begin += part;
  }
}

absl::Status SegmentFileWriter::Close(FileHeader header) {
  SealPageChecksums(page_checksums_);
  const std::vector<uint32_t> checksums = std::move(page_checksums_);  // has pages itself
  PMDEX_RETURN_IF_ERROR(WriteArray(SectionKind::kPageChecksums, std::span(checksums)));
  PMDEX_RETURN_IF_ERROR(file_.Drain());
  return WriteHeaderPage(header);
}

absl::Status SegmentFileWriter::WriteHeaderPage(FileHeader header) {
  header.magic = kSegmentMagic;
  header.version = kSegmentVersion;
  header.endian_mark = kEndianMark;
  header.file_bytes = file_bytes();
  header.section_count = static_cast<uint32_t>(sections_.size());
  std::array<std::byte, kHeaderPageBytes> page{};
  std::memcpy(page.data(), &header, sizeof(header));
  std::memcpy(page.data() + sizeof(header), sections_.data(),
              sections_.size() * sizeof(SectionEntry));
  header_crc_ = Crc32c(std::span(page).first(kHeaderCrcOffset));
  std::memcpy(page.data() + kHeaderCrcOffset, &header_crc_, sizeof(header_crc_));
  file_.StoreAndFlush(0, page);
  return file_.Drain();
}

}  // namespace pmdex
