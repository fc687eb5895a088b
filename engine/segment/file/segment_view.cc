#include "engine/segment/file/segment_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

// Prefetches the root and the second level, which are the end of the section.
void PrefetchUpperChecksums(const ReadableFile& file, std::span<const std::byte> checksums) {
  if (checksums.empty()) return;
  const uint64_t wanted = checksums.size() / kChecksumsPerPage + kPageBytes;
  const std::span<const std::byte> end = checksums.last(std::min(wanted, checksums.size()));
  file.Prefetch(static_cast<uint64_t>(end.data() - file.bytes().data()), end.size());
}

// Requests are extended to multiples of this. Small sections that every query reads are then soon
// in memory. The bytes around an entry, a list or its positions are rarely needed.
uint64_t ReadAheadUnit(SectionKind kind) {
  switch (kind) {
    case SectionKind::kNorms:
    case SectionKind::kTermBlocks:
    case SectionKind::kTermBlockStarts:
    case SectionKind::kTermSignatures:
    case SectionKind::kPageChecksums:
      return 64 << 10;
    case SectionKind::kDocEntries:
    case SectionKind::kDocIdBytes:
    case SectionKind::kIdBlocks:
    case SectionKind::kIdBlockStarts:
      return 64 << 10;
    case SectionKind::kBlockLastDocs:
    case SectionKind::kBlockBounds:
    case SectionKind::kFreqOverflow:
    case SectionKind::kUnitPlaces:
    case SectionKind::kPositionUnitStarts:
      return 16 << 10;
    default:
      return kPageBytes;
  }
}

}  // namespace

absl::StatusOr<SegmentView> SegmentView::Open(std::shared_ptr<const ReadableFile> file,
                                              std::string file_name) {
  SegmentView view;
  PMDEX_ASSIGN_OR_RETURN(view.header_page_, HeaderPage::Read(*file, file_name));
  view.file_name_ = std::move(file_name);
  view.file_ = std::move(file);
  const std::span<const SectionEntry> sections = view.sections();
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

absl::Status SegmentView::Damage(SectionKind kind, std::string_view what) const {
  return DataLoss(
      absl::StrCat(file_name_, ": section ", ToAbsl(ToString(kind)), ": ", ToAbsl(what)));
}

}  // namespace pmdex
