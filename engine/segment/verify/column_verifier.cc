#include "engine/segment/verify/column_verifier.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/column_layout.h"
#include "engine/columns/column_view.h"
#include "engine/segment/dictionary/radix_sort.h"

namespace pmdex {
namespace {

// A value of a document.
struct DocKey {
  uint64_t key;
  DocId doc;
};

// Verifies one column. Every part lies inside the section, as ColumnTable::Open has checked.
class ColumnVerifier {
 public:
  ColumnVerifier(const Segment& segment, const ColumnView& column, FindingList& findings)
      : section_(segment.view().RawSection(kColumnsSection)),
        doc_count_(segment.doc_count()),
        column_(column),
        entry_(column.entry()),
        findings_(findings) {}

  void Verify() {
    if (!VerifyPresence() || !VerifyStarts()) return;
    if (!CollectValues()) return;
    VerifyRange();
    VerifyZones();
    VerifyOrder();
    if (column_.type() == FieldType::kKeyword) VerifyKeywords();
  }

 private:
  template <typename T>
  std::span<const T> Part(uint64_t offset, uint64_t count) const {
    return {reinterpret_cast<const T*>(section_.data() + offset), count};
  }
  bool Check(bool condition, uint64_t offset, std::string_view what) {
    return findings_.Check(condition, kColumnsSection, offset, what);
  }

  bool VerifyPresence();
  bool VerifyStarts();
  bool CollectValues();
  void VerifyRange();
  void VerifyZones();
  void VerifyOrder();
  void VerifyKeywords();

  const std::span<const std::byte> section_;
  const uint32_t doc_count_;
  const ColumnView& column_;
  const ColumnEntry& entry_;
  FindingList& findings_;
  std::vector<DocKey> values_;  // in the order of the documents
};

bool ColumnVerifier::VerifyPresence() {
  if (column_.is_dense()) return true;
  const auto words = Part<uint64_t>(entry_.presence_offset, BitsetWords(doc_count_));
  const auto ranks =
      Part<uint32_t>(entry_.presence_offset + words.size_bytes(), BitsetRuns(doc_count_) + 1);
  constexpr size_t kRunWords = kRankDocs / 64;
  uint64_t rank = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i % kRunWords == 0 &&
        !Check(ranks[i / kRunWords] == rank, entry_.presence_offset + words.size_bytes(),
               "a rank is not the number of documents before")) {
      return false;
    }
    rank += static_cast<uint64_t>(std::popcount(words[i]));
    const uint64_t docs_before = i * uint64_t{64};
    const uint64_t behind = docs_before >= doc_count_        ? ~uint64_t{0}
                            : doc_count_ - docs_before >= 64 ? 0
                                                             : ~uint64_t{0} << (doc_count_ % 64);
    if (!Check((words[i] & behind) == 0, entry_.presence_offset + i * sizeof(uint64_t),
               "a bit behind the last document is set")) {
      return false;
    }
  }
  return Check(rank == entry_.doc_count && ranks.back() == rank, entry_.presence_offset,
               "another number of documents than the entry says");
}

bool ColumnVerifier::VerifyStarts() {
  if (!column_.is_multi()) return true;
  const auto starts = Part<uint32_t>(entry_.starts_offset, uint64_t{entry_.doc_count} + 1);
  bool ascend = starts.front() == 0 && starts.back() == entry_.value_count;
  for (size_t i = 1; i < starts.size(); ++i) ascend = ascend && starts[i - 1] < starts[i];
  return Check(ascend, entry_.starts_offset, "the starts do not divide the values");
}

bool ColumnVerifier::CollectValues() {
  values_.reserve(entry_.value_count);
  for (DocId doc = 0; doc < doc_count_; ++doc) {
    const absl::StatusOr<ValueRange> range = column_.ValuesOf(doc);
    if (!Check(range.ok(), entry_.values_offset, Message(range.status()))) return false;
    for (uint64_t i = range->first; i < uint64_t{range->first} + range->count; ++i) {
      const absl::StatusOr<uint64_t> key = column_.KeyAt(i);
      if (!Check(key.ok(), entry_.values_offset, Message(key.status()))) return false;
      values_.push_back({*key, doc});
    }
  }
  return Check(values_.size() == entry_.value_count, entry_.values_offset,
               "another number of values than the entry says");
}

void ColumnVerifier::VerifyRange() {
  uint64_t least = UINT64_MAX;
  uint64_t greatest = 0;
  bool possible = true;
  for (const DocKey& value : values_) {
    least = std::min(least, value.key);
    greatest = std::max(greatest, value.key);
    if (column_.type() == FieldType::kBool) possible = possible && value.key <= 1;
    if (column_.type() == FieldType::kF64) {
      possible = possible && KeyOfF64(F64OfKey(value.key)) == value.key;
    }
  }
  Check(least == entry_.least && greatest == entry_.greatest, entry_.values_offset,
        "the least and the greatest value are not those of the entry");
  Check(possible, entry_.values_offset, "a value that the type does not have");
  Check(entry_.value_bytes == ValueBytesOf(entry_.least, entry_.greatest), entry_.values_offset,
        "the values have another width than they must");
}

void ColumnVerifier::VerifyZones() {
  std::vector<ColumnZone> expected(ZoneCount(doc_count_), {UINT64_MAX, 0});
  for (const DocKey& value : values_) {
    ColumnZone& zone = expected[value.doc / kZoneDocs];
    zone.least = std::min(zone.least, value.key);
    zone.greatest = std::max(zone.greatest, value.key);
  }
  const auto zones = Part<ColumnZone>(entry_.zones_offset, expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    Check(zones[i].least == expected[i].least && zones[i].greatest == expected[i].greatest,
          entry_.zones_offset + i * sizeof(ColumnZone), "the bounds of a window are wrong");
  }
}

void ColumnVerifier::VerifyOrder() {
  RadixSort(values_, [](const DocKey& value) { return value.key; });
  const auto order = Part<DocId>(entry_.order_offset, values_.size());
  const auto samples = Part<uint64_t>(entry_.samples_offset, SampleCount(values_.size()));
  for (size_t i = 0; i < values_.size(); ++i) {
    if (!Check(order[i] == values_[i].doc, entry_.order_offset + i * sizeof(DocId),
               "the documents are not in the order of their values")) {
      return;
    }
    if (i % kSampleValues == 0 &&
        !Check(samples[i / kSampleValues] == values_[i].key,
               entry_.samples_offset + i / kSampleValues * sizeof(uint64_t),
               "a sample is not the value at its place")) {
      return;
    }
  }
}

// Requires the values in order.
void ColumnVerifier::VerifyKeywords() {
  uint64_t next = 0;
  for (const DocKey& value : values_) {
    if (!Check(value.key <= next, entry_.values_offset, "a keyword that no document has")) return;
    if (value.key == next) ++next;
  }
  Check(next == entry_.keyword_count, entry_.values_offset, "a keyword that no document has");
  const auto starts = Part<uint64_t>(entry_.keyword_starts_offset, entry_.keyword_count + 1);
  if (!Check(starts.front() == 0 && starts.back() == entry_.keywords_bytes,
             entry_.keyword_starts_offset, "the keywords do not fill their part")) {
    return;
  }
  std::string_view before;
  for (uint64_t i = 0; i < entry_.keyword_count; ++i) {
    const absl::StatusOr<std::string_view> keyword = column_.Keyword(i);
    if (!Check(keyword.ok(), entry_.keyword_starts_offset, Message(keyword.status()))) return;
    if (!Check(i == 0 || before < *keyword, entry_.keyword_starts_offset + i * sizeof(uint64_t),
               "the keywords do not ascend")) {
      return;
    }
    before = *keyword;
  }
}

// Checks the bytes that belong to no part.
void VerifyPadding(const Segment& segment, FindingList& findings) {
  const auto section = segment.view().RawSection(kColumnsSection);
  const auto columns = segment.columns();
  const auto zero = [&](uint64_t begin, uint64_t end) {
    findings.CheckZero(section.subspan(begin, end - begin), kColumnsSection, begin,
                       "padding of the columns is not zero");
  };
  zero(offsetof(ColumnsHeader, reserved), sizeof(ColumnsHeader));
  uint64_t end = sizeof(ColumnsHeader) + columns.size() * sizeof(ColumnEntry);
  for (const ColumnView& column : columns) end += column.entry().name_bytes;
  for (const ColumnView& column : columns) {
    const ColumnEntry& entry = column.entry();
    findings.Check(entry.reserved_byte == 0 && entry.reserved == 0, kColumnsSection, 0,
                   "a reserved byte is not zero");
    const uint64_t runs = BitsetRuns(segment.doc_count());
    const uint64_t presence_bytes =
        BitsetWords(segment.doc_count()) * sizeof(uint64_t) + (runs + 1) * sizeof(uint32_t);
    const uint64_t starts_bytes = (uint64_t{entry.doc_count} + 1) * sizeof(uint32_t);
    const uint64_t values_bytes = entry.value_count * entry.value_bytes;
    const std::pair<uint64_t, uint64_t> parts[] = {
        {entry.presence_offset, presence_bytes},
        {entry.starts_offset, starts_bytes},
        {entry.values_offset, values_bytes},
        {entry.zones_offset, ZoneCount(segment.doc_count()) * sizeof(ColumnZone)},
        {entry.order_offset, entry.value_count * sizeof(DocId)},
        {entry.samples_offset, SampleCount(entry.value_count) * sizeof(uint64_t)},
        {entry.keyword_starts_offset, (entry.keyword_count + 1) * sizeof(uint64_t)},
        {entry.keywords_offset, entry.keywords_bytes}};
    for (const auto& [offset, size_bytes] : parts) {
      if (offset == 0) continue;
      zero(end, offset);
      end = offset + size_bytes;
    }
  }
  findings.Check(end == section.size(), kColumnsSection, end, "bytes behind the last column");
}

}  // namespace

void VerifyColumns(const Segment& segment, FindingList& findings) {
  const bool is_there = std::any_of(
      segment.view().sections().begin(), segment.view().sections().end(),
      [](const SectionEntry& entry) { return entry.kind == SectionKind::kNumericColumns; });
  if (!is_there) return;
  if (!findings.Check(!segment.columns().empty(), kColumnsSection, 0, "a section without columns"))
    return;
  VerifyPadding(segment, findings);
  for (const ColumnView& column : segment.columns()) {
    if (findings.full()) return;
    ColumnVerifier(segment, column, findings).Verify();
  }
}

}  // namespace pmdex
