#include "engine/segment/segment_view.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status HeaderDamage(std::string_view file_name, uint64_t offset, std::string_view what) {
  return DataLoss(
      absl::StrCat(ToAbsl(file_name), ": header page: offset ", offset, ": ", ToAbsl(what)));
}

bool IsKnown(SectionKind kind) {
  return kind >= SectionKind::kMeta && kind <= kLastKnownSection;
}

uint64_t SwapBytes(uint64_t value) {
  return __builtin_bswap64(value);
}

// What can be said before the checksum: whether this is a segment file of our byte order at all.
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

// A copy of the header page. A medium that loses it while it is copied shows in the file's health.
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

// The root and what it covers, which end their section.
void PrefetchUpperChecksums(const ReadableFile& file, std::span<const std::byte> checksums) {
  if (checksums.empty()) return;
  const uint64_t wanted = checksums.size() / kChecksumsPerPage + kPageBytes;
  const std::span<const std::byte> end = checksums.last(std::min(wanted, checksums.size()));
  file.Prefetch(static_cast<uint64_t>(end.data() - file.bytes().data()), end.size());
}

// What is read together, from a multiple of it on. Little sections that every query looks into soon
// are all there; what lies around a slot, a list or its positions is of no use to anybody.
uint64_t ReadAheadUnit(SectionKind kind) {
  switch (kind) {
    case SectionKind::kNorms:
    case SectionKind::kTermBlocks:
    case SectionKind::kTermBlockStarts:
    case SectionKind::kPageChecksums:
      return 64 << 10;
    case SectionKind::kDocEntries:
    case SectionKind::kDocIdBytes:
      return 64 << 10;
    case SectionKind::kBlockLastDocs:
    case SectionKind::kBlockBounds:
    case SectionKind::kFreqOverflow:
      return 16 << 10;
    default:
      return kPageBytes;
  }
}

}  // namespace

std::string_view ToString(SectionKind kind) {
  static constexpr std::string_view kNames[] = {"",
                                                "meta",
                                                "postings",
                                                "positions",
                                                "block last docs",
                                                "block bounds",
                                                "freq overflow",
                                                "term slots",
                                                "term bytes",
                                                "term blocks",
                                                "term block starts",
                                                "norms",
                                                "doc entries",
                                                "doc id bytes",
                                                "stored chunks",
                                                "stored bytes",
                                                "page checksums"};
  if (IsKnown(kind)) return kNames[static_cast<uint32_t>(kind)];
  switch (kind) {
    case SectionKind::kLiveDocs:
      return "live docs";
    case SectionKind::kCompressedUnits:
      return "compressed units";
    case SectionKind::kNumericColumns:
      return "numeric columns";
    case SectionKind::kPairs:
      return "pairs";
    default:
      return "of unknown kind";
  }
}

absl::StatusOr<SegmentView> SegmentView::Open(std::shared_ptr<const ReadableFile> file,
                                              std::string file_name) {
  SegmentView view;
  PMDEX_ASSIGN_OR_RETURN(view.header_page_, CopyHeaderPage(*file, file_name));
  const std::span<const std::byte> page(view.header_page_.get(), kHeaderPageBytes);
  PMDEX_RETURN_IF_ERROR(CheckHeader(page, file->bytes().size(), file_name));
  view.file_name_ = std::move(file_name);
  view.file_ = std::move(file);
  const std::span<const SectionEntry> sections = view.sections();
  PMDEX_RETURN_IF_ERROR(CheckSections(sections, view.bytes().size(), view.file_name_));
  for (const SectionEntry& entry : sections) {
    if (!IsKnown(entry.kind)) continue;
    view.raw_[static_cast<uint32_t>(entry.kind)] =
        view.bytes().subspan(entry.offset, entry.size_bytes);
  }
  PrefetchUpperChecksums(*view.file_, view.RawSection(SectionKind::kPageChecksums));
  const auto stored = PageChecksums::Find(view.bytes(), sections);
  if (!stored.has_value()) {
    return view.Damage(SectionKind::kPageChecksums, 0, "not as many as the sections have pages");
  }
  view.pages_ = std::make_unique<PageChecksums>(view.bytes(), sections, *stored, false);
  view.requests_ = std::make_unique<PageRequests>(*view.file_);
  if (!view.pages_->RootMatches()) {
    PMDEX_RETURN_IF_ERROR(view.file_->Health());
    return view.Damage(SectionKind::kPageChecksums, stored->pages.size_bytes(),
                       "the root does not match");
  }
  return view;
}

SegmentView SegmentView::WithoutPageChecks() const {
  SegmentView view;
  view.file_name_ = file_name_;
  view.file_ = file_;
  view.header_page_ = header_page_;
  view.raw_ = raw_;
  view.pages_ = std::make_unique<PageChecksums>(bytes(), sections(), pages_->stored(), true);
  return view;
}

const FileHeader& SegmentView::header() const {
  return *reinterpret_cast<const FileHeader*>(header_page_.get());
}

uint32_t SegmentView::header_crc() const {
  uint32_t crc = 0;
  std::memcpy(&crc, header_page_.get() + kHeaderCrcOffset, sizeof(crc));
  return crc;
}

std::span<const SectionEntry> SegmentView::sections() const {
  return {reinterpret_cast<const SectionEntry*>(header_page_.get() + sizeof(FileHeader)),
          header().section_count};
}

absl::StatusOr<std::span<const std::byte>> SegmentView::Inside(SectionKind kind, uint64_t offset,
                                                               uint64_t size_bytes) const {
  const std::span<const std::byte> section = RawSection(kind);
  if (offset > section.size() || size_bytes > section.size() - offset) {
    return OutsideDamage(kind, offset, size_bytes);
  }
  return section.subspan(offset, size_bytes);
}

absl::StatusOr<std::span<const std::byte>> SegmentView::Slice(SectionKind kind, uint64_t offset,
                                                              uint64_t size_bytes) const {
  const std::span<const std::byte> section = RawSection(kind);
  if (offset > section.size() || size_bytes > section.size() - offset) {
    return OutsideDamage(kind, offset, size_bytes);
  }
  PMDEX_RETURN_IF_ERROR(Verify(kind, offset, size_bytes));
  return section.subspan(offset, size_bytes);
}

absl::Status SegmentView::OutsideDamage(SectionKind kind, uint64_t offset,
                                        uint64_t size_bytes) const {
  return Damage(kind, offset,
                absl::StrCat(size_bytes, " bytes from here do not lie inside the section of ",
                             RawSection(kind).size()));
}

absl::Status SegmentView::VerifyNow(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
  Prefetch(kind, offset, size_bytes);
  if (pages_->Check(kind, offset, size_bytes)) return absl::OkStatus();
  return PageDamage(kind, offset, size_bytes);
}

void SegmentView::Ask(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
  PrefetchAround(kind, offset, size_bytes, ReadAheadUnit(kind));
}

void SegmentView::PrefetchAround(SectionKind kind, uint64_t offset, uint64_t size_bytes,
                                 uint64_t unit_bytes) const {
  const std::span<const std::byte> section = RawSection(kind);
  if (requests_ == nullptr || offset >= section.size()) return;
  size_bytes = std::min<uint64_t>(size_bytes, section.size() - offset);
  if (size_bytes == 0) return;
  const std::byte* const file = bytes().data();
  const auto ask = [&](std::span<const std::byte> within, uint64_t begin, uint64_t end,
                       uint64_t unit) {
    begin = begin / unit * unit;
    end = std::min<uint64_t>(AlignUp(end, unit), within.size());
    requests_->Ask(static_cast<uint64_t>(within.data() - file) + begin, end - begin);
  };
  ask(section, offset, offset + size_bytes, unit_bytes);
  const std::span<const std::byte> checksums = pages_->ChecksumsOf(kind, offset, size_bytes);
  const std::span<const std::byte> all = RawSection(SectionKind::kPageChecksums);
  const auto first = static_cast<uint64_t>(checksums.data() - all.data());
  ask(all, first, first + checksums.size(), ReadAheadUnit(SectionKind::kPageChecksums));
}

absl::Status SegmentView::PageDamage(SectionKind kind, uint64_t offset, uint64_t size_bytes) const {
  const std::optional<uint64_t> page = pages_->FindDamage(kind, offset, size_bytes);
  return Damage(kind, page.value_or(offset), "the checksum of the page does not match");
}

absl::Status SegmentView::Damage(SectionKind kind, uint64_t offset, std::string_view what) const {
  return DataLoss(absl::StrCat(file_name_, ": section ", ToAbsl(ToString(kind)), ": offset ",
                               offset, ": ", ToAbsl(what)));
}

}  // namespace pmdex
