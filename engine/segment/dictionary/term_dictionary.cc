#include "engine/segment/dictionary/term_dictionary.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/term_key.h"
#include "pmem/prefetch.h"

namespace pmdex {
namespace {

constexpr uint64_t kBucketsPerPage = kPageBytes / sizeof(DictionaryEntry);
constexpr uint64_t kRareBucketBytes = kRareSlotsPerBucket * sizeof(RareTermSlot);
static_assert(kPageBytes % kRareBucketBytes == 0);
// Buckets of both tables, none of which crosses a page.
constexpr uint64_t kBucketBytes = 64;
static_assert(sizeof(DictionaryEntry) == kBucketBytes && kRareBucketBytes == kBucketBytes);

// Verifies the page of a bucket.
absl::Status VerifyPageOf(const SegmentView& view, SectionKind kind, uint64_t offset) {
  return view.Verify(kind, offset, 1);
}

void FetchBucket(const SegmentView& view, SectionKind kind, uint64_t bucket, const void* bytes) {
  if (view.WasVerified(kind, bucket * kBucketBytes, 1)) [[likely]]
    return PrefetchLine(bytes);
  view.Prefetch(kind, bucket * kBucketBytes, kBucketBytes);
}

}  // namespace

absl::StatusOr<TermDictionary> TermDictionary::Open(const SegmentView& view,
                                                    const SegmentMeta& meta,
                                                    std::span<const FieldEntry> fields) {
  TermDictionary dictionary;
  const uint64_t entries_bytes = view.RawSection(SectionKind::kDictionaryEntries).size();
  const uint64_t start_bytes = view.RawSection(SectionKind::kTermBlockStarts).size();
  if (meta.home_bucket_count == 0 || entries_bytes % sizeof(DictionaryEntry) != 0 ||
      entries_bytes / sizeof(DictionaryEntry) <= meta.home_bucket_count) {
    return view.Damage(SectionKind::kDictionaryEntries, entries_bytes,
                       "not the size that the meta says");
  }
  const uint64_t slot_bytes = view.RawSection(SectionKind::kRareTermSlots).size();
  if (meta.rare_bucket_count == 0 || slot_bytes % kRareBucketBytes != 0 ||
      slot_bytes / kRareBucketBytes < meta.rare_bucket_count) {
    return view.Damage(SectionKind::kRareTermSlots, slot_bytes, "not the size that the meta says");
  }
  if (start_bytes % sizeof(uint64_t) != 0 || start_bytes == 0) {
    return view.Damage(SectionKind::kTermBlockStarts, start_bytes, "no whole numbers");
  }
  const uint64_t block_count = start_bytes / sizeof(uint64_t) - 1;
  const uint64_t signatures_bytes = view.RawSection(SectionKind::kTermSignatures).size();
  if (signatures_bytes != 0 && signatures_bytes != block_count * sizeof(BlockSignatures)) {
    return view.Damage(SectionKind::kTermSignatures, signatures_bytes, "not those of all terms");
  }
  const uint64_t blocks_bytes = view.RawSection(SectionKind::kTermBlocks).size();
  for (const FieldEntry& field : fields) {
    if (field.first_term_block > block_count ||
        field.term_block_count > block_count - field.first_term_block ||
        field.term_blocks_begin > blocks_bytes ||
        field.term_blocks_bytes > blocks_bytes - field.term_blocks_begin) {
      return view.Damage(SectionKind::kMeta, 0, "a field's term blocks do not exist");
    }
  }
  dictionary.view_ = &view;
  dictionary.entries_ = view.RawArray<DictionaryEntry>(SectionKind::kDictionaryEntries);
  dictionary.fields_ = fields;
  dictionary.hash_seed_ = meta.hash_seed;
  dictionary.home_bucket_count_ = meta.home_bucket_count;
  dictionary.rare_slots_ = view.RawArray<RareTermSlot>(SectionKind::kRareTermSlots);
  dictionary.rare_bucket_count_ = meta.rare_bucket_count;
  const bool is_compressed = (view.header().flags & kSegmentIsCompressed) != 0;
  dictionary.line_format_ = {DocIdBytes(view.header().doc_count),
                             is_compressed ? kUnitExtentUnit : kExtentUnit};
  dictionary.has_signatures_ = signatures_bytes != 0;
  return dictionary;
}

absl::StatusOr<std::optional<DictionaryEntry>> TermDictionary::Find(FieldId field,
                                                                    std::string_view term,
                                                                    DictionaryTable first) const {
  HashedTerm hashed(term);
  DictionaryEntry entry;
  PMDEX_ASSIGN_OR_RETURN(const bool found, Find(field, hashed, first, entry));
  return found ? std::optional(entry) : std::nullopt;
}

absl::StatusOr<bool> TermDictionary::Find(FieldId field, HashedTerm& term, DictionaryTable first,
                                          DictionaryEntry& entry) const {
  if (!term.may_exist() || field >= fields_.size()) return false;
  const uint64_t hash = MixField(term.HashFor(hash_seed_), field);
  const uint64_t home = HomeBucket(hash, home_bucket_count_);
  const uint64_t rare_home = HomeBucket(hash, rare_bucket_count_);
  const bool is_frequent_first = first == DictionaryTable::kFrequent;
  PrefetchLine(&entries_[home]);
  absl::StatusOr<bool> found = is_frequent_first ? FindFrequent(field, term, home, entry)
                                                 : FindRare(field, term, hash, rare_home, entry);
  if (!found.ok() || *found) return found;
  return is_frequent_first ? FindRare(field, term, hash, rare_home, entry)
                           : FindFrequent(field, term, home, entry);
}

absl::StatusOr<bool> TermDictionary::FindFrequent(FieldId field, const HashedTerm& term,
                                                  uint64_t home, DictionaryEntry& out) const {
  const uint64_t end = entries_.size();
  for (uint64_t at = home; at < end; ++at) {
    const DictionaryEntry& entry = entries_[at];
    if (at == home || at % kBucketsPerPage == 0) {
      PMDEX_RETURN_IF_ERROR(
          VerifyPageOf(*view_, SectionKind::kDictionaryEntries, at * sizeof(DictionaryEntry)));
    }
    if (entry.representation == Representation::kEmpty) return false;
    if (entry.field != field || entry.term_bytes != term.text().size() ||
        !term.key().Matches(entry)) {
      continue;
    }
    if (term.text().size() > kInlineTermBytes) {
      PMDEX_ASSIGN_OR_RETURN(const std::string_view bytes, Term(entry));
      if (bytes != term.text()) continue;
    }
    out = entry;
    return true;
  }
  return false;
}

absl::StatusOr<bool> TermDictionary::FindRare(FieldId field, const HashedTerm& term, uint64_t hash,
                                              uint64_t home, DictionaryEntry& out) const {
  const RareTermSlot fingerprint = RareFingerprint(hash);
  for (uint64_t first = home * kRareSlotsPerBucket; first < rare_slots_.size();
       first += kRareSlotsPerBucket) {
    PMDEX_RETURN_IF_ERROR(
        VerifyPageOf(*view_, SectionKind::kRareTermSlots, first * sizeof(RareTermSlot)));
    const RareTermSlot* const slots = rare_slots_.data() + first;
    for (uint32_t i = 0; i < kRareSlotsPerBucket; ++i) {
      const RareTermSlot slot = slots[i];
      if (slot == 0) return false;
      if ((slot ^ fingerprint) >> kRareFingerprintShift != 0) continue;
      absl::StatusOr<bool> found = ReadRareTerm(field, term.text(), slot, out);
      if (!found.ok() || *found) return found;
    }
  }
  return false;
}

// Reads the entry of the term that the slot stands for, if it is this term.
absl::StatusOr<bool> TermDictionary::ReadRareTerm(FieldId field, std::string_view term,
                                                  RareTermSlot slot, DictionaryEntry& out) const {
  constexpr size_t kLine = 64;
  constexpr size_t kFetched = 4 * kLine;
  const uint64_t begin = slot & (kMaxTermBlocksBytes - 1);
  const auto index = static_cast<uint32_t>(slot >> kRareBlockBits) & ((1u << kRareIndexBits) - 1);
  const FieldEntry& of_field = fields_[field];
  const uint64_t end = of_field.term_blocks_begin + of_field.term_blocks_bytes;
  if (begin < of_field.term_blocks_begin || begin >= end) return false;
  std::span<const std::byte> rest =
      view_->RawSection(SectionKind::kTermBlocks).subspan(begin, end - begin);
  for (size_t at = 0; at < std::min(rest.size(), kFetched); at += kLine) {
    PrefetchLine(rest.data() + at);
  }
  std::array<char, kMaxTokenBytes> bytes;
  size_t term_bytes = 0;
  uint64_t verified_end = begin;  // all pages from `begin` to here
  for (uint32_t i = 0;; ++i) {
    const uint64_t offset = end - rest.size();
    const uint64_t line_end = offset + std::min(rest.size(), kMaxLineBytes);
    if (line_end > verified_end) {
      PMDEX_RETURN_IF_ERROR(view_->Verify(SectionKind::kTermBlocks, offset, line_end - offset));
      verified_end = (line_end + kPageBytes - 1) / kPageBytes * kPageBytes;
    }
    const TermLine line = ReadTermLine(rest, term_bytes, line_format_);
    if (line.size_bytes == 0) {
      return view_->Damage(SectionKind::kTermBlocks, offset, "a term makes no sense");
    }
    std::memcpy(bytes.data() + line.shared, line.suffix, line.suffix_bytes);
    term_bytes = line.shared + line.suffix_bytes;
    if (i == index) {
      if (std::string_view(bytes.data(), term_bytes) != term || !line.is_inline()) return false;
      out = InlineEntry(line, line_format_);
      out.field = field;
      out.term_bytes = static_cast<uint8_t>(term_bytes);
      return true;
    }
    rest = rest.subspan(line.size_bytes);
  }
}

void TermDictionary::Prefetch(FieldId field, HashedTerm& term) const {
  if (!term.may_exist() || entries_.empty()) return;
  const uint64_t hash = MixField(term.HashFor(hash_seed_), field);
  const uint64_t home = HomeBucket(hash, home_bucket_count_);
  const uint64_t rare_home = HomeBucket(hash, rare_bucket_count_);
  FetchBucket(*view_, SectionKind::kDictionaryEntries, home, &entries_[home]);
  FetchBucket(*view_, SectionKind::kRareTermSlots, rare_home,
              &rare_slots_[rare_home * kRareSlotsPerBucket]);
}

absl::StatusOr<std::span<const BlockSignatures>> TermDictionary::Signatures(FieldId field,
                                                                            uint64_t first,
                                                                            uint64_t count) const {
  return view_->Array<BlockSignatures>(SectionKind::kTermSignatures,
                                       fields_[field].first_term_block + first, count);
}

absl::StatusOr<std::string_view> TermDictionary::Term(const DictionaryEntry& entry) const {
  if (entry.representation == Representation::kEmpty) return std::string_view();
  if (entry.term_bytes <= kInlineTermBytes) {
    return std::string_view(reinterpret_cast<const char*>(entry.key), entry.term_bytes);
  }
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view_->Slice(SectionKind::kTermBytes,
                                                        LongTermOffset(entry), entry.term_bytes));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace pmdex
