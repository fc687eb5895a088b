#include "engine/segment/file/header_page.h"

#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status HeaderDamage(std::string_view file_name, uint64_t offset, std::string_view what) {
  return DataLoss(
      absl::StrCat(ToAbsl(file_name), ": header page: offset ", offset, ": ", ToAbsl(what)));
}

uint64_t SwapBytes(uint64_t value) {
  return __builtin_bswap64(value);
}

// Checks, before the checksum, that this is a segment file of this byte order.
absl::Status CheckKind(const FileHeader& header, std::string_view file_name) {
  if (header.magic == SwapBytes(kSegmentMagic) ||
      header.endian_mark == __builtin_bswap32(kEndianMark)) {
    return HeaderDamage(file_name, offsetof(FileHeader, endian_mark),
                        "written on a machine of another byte order");
  }
  if (header.magic != kSegmentMagic) {
    return HeaderDamage(file_name, offsetof(FileHeader, magic), "this is not a segment file");
  }
  return absl::OkStatus();
}

absl::Status CheckLength(uint64_t expected, uint64_t found, std::string_view file_name) {
  if (expected == found) return absl::OkStatus();
  return HeaderDamage(
      file_name, offsetof(FileHeader, file_bytes),
      absl::StrCat(found < expected ? "the file is truncated" : "the file is extended",
                   ": expected ", expected, " bytes, found ", found));
}

// page: the header page, of a file of file_bytes.
absl::Status CheckHeader(std::span<const std::byte> page, uint64_t file_bytes,
                         std::string_view file_name) {
  const auto& header = *reinterpret_cast<const FileHeader*>(page.data());
  PMDEX_RETURN_IF_ERROR(CheckKind(header, file_name));
  uint32_t stored_crc = 0;
  std::memcpy(&stored_crc, page.data() + kHeaderCrcOffset, sizeof(stored_crc));
  const uint32_t crc = Crc32c(page.first(kHeaderCrcOffset));
  if (crc != stored_crc) {
    return HeaderDamage(file_name, kHeaderCrcOffset,
                        absl::StrCat("checksum is ", absl::Hex(crc, absl::kZeroPad8), ", expected ",
                                     absl::Hex(stored_crc, absl::kZeroPad8)));
  }
  if (header.version > kSegmentVersion) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrCat(ToAbsl(file_name), ": segment format ", header.version,
                                   " is newer than this program's ", kSegmentVersion));
  }
  if (header.version != 0 && header.version < kSegmentVersion) {
    return MakeStatus(
        absl::StatusCode::kUnimplemented,
        absl::StrCat(ToAbsl(file_name), ": segment format ", header.version,
                     " is older than this program's ", kSegmentVersion, "; build the index again"));
  }
  if (header.version == 0) {
    return HeaderDamage(file_name, offsetof(FileHeader, version), "there is no version 0");
  }
  if (header.endian_mark != kEndianMark) {
    return HeaderDamage(file_name, offsetof(FileHeader, endian_mark), "no known byte order");
  }
  PMDEX_RETURN_IF_ERROR(CheckLength(header.file_bytes, file_bytes, file_name));
  if (header.section_count > kMaxSections) {
    return HeaderDamage(file_name, offsetof(FileHeader, section_count), "too many sections");
  }
  if (header.doc_count > kMaxDocsPerSegment) {
    return HeaderDamage(file_name, offsetof(FileHeader, doc_count), "too many documents");
  }
  return absl::OkStatus();
}

// A copy of the header page. If the medium fails meanwhile, the Health of the file is not OK.
absl::StatusOr<std::unique_ptr<std::byte[]>> CopyHeaderPage(const ReadableFile& file,
                                                            std::string_view file_name) {
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.empty()) return HeaderDamage(file_name, 0, "the file is empty");
  if (bytes.size() < kHeaderPageBytes) {
    return HeaderDamage(file_name, bytes.size(),
                        absl::StrCat("the file ends within the header page: expected at least ",
                                     kHeaderPageBytes, " bytes, found ", bytes.size()));
  }
  PMDEX_RETURN_IF_ERROR(file.Populate(0, kHeaderPageBytes));
  auto page = std::make_unique_for_overwrite<std::byte[]>(kHeaderPageBytes);
  std::memcpy(page.get(), bytes.data(), kHeaderPageBytes);
  PMDEX_RETURN_IF_ERROR(file.Health());
  return page;
}

absl::Status CheckSections(std::span<const SectionEntry> sections, uint64_t file_bytes,
                           std::string_view file_name) {
  uint64_t end = kHeaderPageBytes;
  for (size_t i = 0; i < sections.size(); ++i) {
    const SectionEntry& entry = sections[i];
    const uint64_t entry_offset = sizeof(FileHeader) + i * sizeof(SectionEntry);
    const absl::string_view name = ToAbsl(ToString(entry.kind));
    if (!IsKnown(entry.kind) && (entry.flags & kSectionRequired) != 0) {
      return MakeStatus(absl::StatusCode::kUnimplemented,
                        absl::StrCat(ToAbsl(file_name), ": ", name,
                                     " is needed to read this segment; a "
                                     "newer program wrote it"));
    }
    if (entry.offset % kSectionAlignment != 0 || entry.offset < end || entry.offset > file_bytes ||
        entry.size_bytes > file_bytes - entry.offset) {
      return HeaderDamage(file_name, entry_offset,
                          absl::StrCat("section ", name, " does not lie where one can"));
    }
    end = entry.offset + entry.size_bytes;
    for (size_t j = 0; j < i; ++j) {
      if (sections[j].kind == entry.kind) {
        return HeaderDamage(file_name, entry_offset, absl::StrCat("section ", name, " twice"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool IsKnown(SectionKind kind) {
  return (kind >= SectionKind::kMeta && kind <= SectionKind::kTermSignatures) ||
         kind == SectionKind::kNumericColumns;
}

std::string_view ToString(SectionKind kind) {
  static constexpr std::string_view kNames[] = {"",
                                                "meta",
                                                "postings",
                                                "positions",
                                                "block last docs",
                                                "block bounds",
                                                "freq overflow",
                                                "dictionary entries",
                                                "term bytes",
                                                "term blocks",
                                                "term block starts",
                                                "norms",
                                                "doc entries",
                                                "doc id bytes",
                                                "stored chunks",
                                                "stored bytes",
                                                "page checksums",
                                                "rare term slots",
                                                "unit freqs",
                                                "compressed units",
                                                "unit places",
                                                "position units",
                                                "position unit starts",
                                                "id blocks",
                                                "id block starts",
                                                "term signatures"};
  const auto number = static_cast<uint32_t>(kind);
  if (number != 0 && number < std::size(kNames)) return kNames[number];
  switch (kind) {
    case SectionKind::kLiveDocs:
      return "live docs";
    case SectionKind::kNumericColumns:
      return "numeric columns";
    case SectionKind::kPairs:
      return "pairs";
    default:
      return "of unknown kind";
  }
}

absl::StatusOr<HeaderPage> HeaderPage::Read(const ReadableFile& file, std::string_view file_name) {
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<const std::byte[]> bytes, CopyHeaderPage(file, file_name));
  const uint64_t file_bytes = file.bytes().size();
  PMDEX_RETURN_IF_ERROR(
      CheckHeader(std::span(bytes.get(), kHeaderPageBytes), file_bytes, file_name));
  HeaderPage page;
  page.page_ = std::move(bytes);
  PMDEX_RETURN_IF_ERROR(CheckSections(page.sections(), file_bytes, file_name));
  return page;
}

const FileHeader& HeaderPage::header() const {
  return *reinterpret_cast<const FileHeader*>(page_.get());
}

uint32_t HeaderPage::crc() const {
  uint32_t crc = 0;
  std::memcpy(&crc, page_.get() + kHeaderCrcOffset, sizeof(crc));
  return crc;
}

std::span<const SectionEntry> HeaderPage::sections() const {
  return {reinterpret_cast<const SectionEntry*>(page_.get() + sizeof(FileHeader)),
          header().section_count};
}

}  // namespace pmdex
