#include "engine/segment/segment_copy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "engine/segment/format.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;

absl::Status VerifyPages(const SegmentView& view) {
  for (const SectionEntry& section : view.sections()) {
    // Their own checksum was verified when the segment was opened.
    if (section.kind == SectionKind::kPageChecksums) continue;
    const uint64_t bytes = view.RawSection(section.kind).size();
    for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
      PMDEX_RETURN_IF_ERROR(view.Verify(section.kind, at, std::min(kPieceBytes, bytes - at)));
    }
  }
  return absl::OkStatus();
}

// The header page of the copy, and its checksum.
struct CopiedHeader {
  std::array<std::byte, kHeaderPageBytes> page;
  uint32_t crc = 0;
};

CopiedHeader HeaderOf(const SegmentView& view, uint64_t segment_id) {
  CopiedHeader copied;
  std::memcpy(copied.page.data(), view.bytes().data(), kHeaderPageBytes);
  FileHeader header = view.header();
  header.segment_id = segment_id;
  std::memcpy(copied.page.data(), &header, sizeof header);
  copied.crc = Crc32c(std::span(copied.page).first(kHeaderCrcOffset));
  std::memcpy(copied.page.data() + kHeaderCrcOffset, &copied.crc, sizeof copied.crc);
  return copied;
}

absl::Status WriteCopy(const Segment& source, const CopiedHeader& header, WritableFile& file) {
  const SegmentView& view = source.view();
  const std::span<const std::byte> bytes = view.bytes();
  for (uint64_t at = kHeaderPageBytes; at < bytes.size(); at += kPieceBytes) {
    const uint64_t size = std::min<uint64_t>(kPieceBytes, bytes.size() - at);
    file.CopyNonTemporal(at, bytes.subspan(at, size));
    view.file().Release(at, size);
  }
  PMDEX_RETURN_IF_ERROR(file.Drain());
  file.StoreAndFlush(0, header.page);
  PMDEX_RETURN_IF_ERROR(file.Drain());
  // A load that the medium failed has copied zeros.
  PMDEX_RETURN_IF_ERROR(source.Health());
  return file.Seal(bytes.size());
}

}  // namespace

absl::StatusOr<SegmentFileInfo> CopySegment(const Segment& source, Directory& directory,
                                            uint64_t segment_id) {
  PMDEX_RETURN_IF_ERROR(VerifyPages(source.view()));
  const CopiedHeader header = HeaderOf(source.view(), segment_id);
  SegmentFileInfo info;
  info.file_name = SegmentFileName(segment_id);
  info.segment_id = segment_id;
  info.file_bytes = source.file_bytes();
  info.header_crc = header.crc;
  info.doc_count = source.doc_count();
  info.term_count = source.term_count();
  info.posting_count = source.posting_count();
  info.token_count = source.token_count();
  const std::string temporary_name = info.file_name + ".tmp";
  PMDEX_ASSIGN_OR_RETURN(auto file, directory.Create(temporary_name, info.file_bytes));
  absl::Status status = WriteCopy(source, header, *file);
  if (status.ok()) status = directory.Rename(temporary_name, info.file_name);
  if (status.ok()) {
    info.persist = file->counters();
    return info;
  }
  directory.Remove(temporary_name).IgnoreError();  // the first error says more
  return status;
}

}  // namespace pmdex
