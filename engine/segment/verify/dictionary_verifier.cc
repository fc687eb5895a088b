#include "engine/segment/verify/dictionary_verifier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

#include "engine/segment/dictionary/term_key.h"
#include "engine/segment/dictionary/term_line.h"
#include "engine/segment/dictionary/term_signature.h"
#include "engine/segment/verify/list_verifier.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

bool IsSameEntry(const DictionaryEntry& a, const DictionaryEntry& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

class DictionaryVerifier {
 public:
  DictionaryVerifier(const Segment& segment, FindingList& findings)
      : segment_(segment),
        findings_(findings),
        format_(segment.dictionary().line_format()),
        entries_(segment.dictionary().entries()),
        blocks_(segment.view().RawSection(SectionKind::kTermBlocks)),
        lists_(segment, findings) {
    // Segment::Open has checked that these lie inside their sections.
    const std::byte* meta = segment.view().RawSection(SectionKind::kMeta).data();
    meta_ = reinterpret_cast<const SegmentMeta*>(meta);
    fields_ = reinterpret_cast<const FieldEntry*>(meta + sizeof(SegmentMeta));
    starts_ = segment.view().RawArray<uint64_t>(SectionKind::kTermBlockStarts);
    signatures_ = segment.view().RawArray<BlockSignatures>(SectionKind::kTermSignatures);
  }

  void Verify() {
    CheckBuckets();
    CheckRareSlots();
    CheckBlockStarts();
    for (size_t field = 0; field < segment_.fields().size() && !findings_.full(); ++field) {
      CheckField(static_cast<FieldId>(field));
    }
    findings_.Check(frequent_terms_ == used_buckets_, SectionKind::kDictionaryEntries, 0,
                    "entries that the ordered terms do not name");
    findings_.Check(rare_terms_ == used_slots_, SectionKind::kRareTermSlots, 0,
                    "not as many slots in use as rare terms");
    findings_.Check(frequent_terms_ + rare_terms_ == meta_->term_count, SectionKind::kMeta,
                    offsetof(SegmentMeta, term_count), "not as many terms as lines");
    findings_.Check(next_block_ + 1 == starts_.size(), SectionKind::kTermBlockStarts, 0,
                    "term blocks that belong to no field");
    const uint64_t term_bytes = segment_.view().RawSection(SectionKind::kTermBytes).size();
    findings_.Check(long_bytes_ == term_bytes, SectionKind::kTermBytes, long_bytes_,
                    "the terms end here, the section does not");
    lists_.Finish();
  }

 private:
  void CheckBuckets();
  void CheckEntry(uint64_t number, uint64_t first_of_cluster);
  void CheckRareSlots();
  void CheckBlockStarts();
  void CheckField(FieldId field);
  void CheckBlock(FieldId field, uint64_t block, uint64_t term_count);
  void CheckSignature(uint64_t block, uint64_t index, TermSignature expected);
  bool CheckTerm(FieldId field, uint64_t offset, const TermLine& line);
  bool CheckFrequent(FieldId field, uint64_t offset, const TermLine& line);
  void CheckRare(FieldId field, uint64_t offset, const TermLine& line);

  const Segment& segment_;
  FindingList& findings_;
  const LineFormat format_;
  const std::span<const DictionaryEntry> entries_;
  const std::span<const std::byte> blocks_;
  std::span<const uint64_t> starts_;
  std::span<const BlockSignatures> signatures_;  // empty in a segment that has none
  const SegmentMeta* meta_ = nullptr;
  const FieldEntry* fields_ = nullptr;
  ListVerifier lists_;
  uint64_t used_buckets_ = 0;
  uint64_t used_slots_ = 0;
  uint64_t frequent_terms_ = 0;
  uint64_t rare_terms_ = 0;
  uint64_t next_block_ = 0;
  uint64_t long_bytes_ = 0;
  std::string term_;  // the last one of the field
};

void DictionaryVerifier::CheckBuckets() {
  uint64_t first_of_cluster = 0;
  uint64_t last_used = 0;
  for (uint64_t number = 0; number < entries_.size(); ++number) {
    if (entries_[number].representation == Representation::kEmpty) {
      findings_.CheckZero(std::as_bytes(entries_.subspan(number, 1)),
                          SectionKind::kDictionaryEntries, number * sizeof(DictionaryEntry),
                          "an empty bucket is not zero");
      first_of_cluster = number + 1;
      continue;
    }
    CheckEntry(number, first_of_cluster);
    last_used = number;
    ++used_buckets_;
  }
  findings_.Check(
      entries_.size() == std::max<uint64_t>(meta_->home_bucket_count, last_used + 1) + 1,
      SectionKind::kDictionaryEntries, 0, "not as many buckets as the last cluster needs");
  findings_.Check(entries_.back().representation == Representation::kEmpty,
                  SectionKind::kDictionaryEntries, (entries_.size() - 1) * sizeof(DictionaryEntry),
                  "the last bucket is not empty");
}

void DictionaryVerifier::CheckEntry(uint64_t number, uint64_t first_of_cluster) {
  const DictionaryEntry& entry = entries_[number];
  const uint64_t offset = number * sizeof(DictionaryEntry);
  const std::string_view term = segment_.dictionary().Term(entry).value_or(std::string_view());
  if (!findings_.Check(!term.empty() && entry.field < segment_.fields().size(),
                       SectionKind::kDictionaryEntries, offset,
                       "the entry's term makes no sense")) {
    return;
  }
  const uint64_t term_hash = HashTermBytes(meta_->hash_seed, term);
  DictionaryEntry expected = entry;
  TermKey(term, term_hash).Store(LongTermOffset(entry), expected);
  findings_.Check(std::memcmp(expected.key, entry.key, sizeof(entry.key)) == 0,
                  SectionKind::kDictionaryEntries, offset, "the key is not that of the term");
  const uint64_t home = HomeBucket(MixField(term_hash, entry.field), meta_->home_bucket_count);
  findings_.Check(home >= first_of_cluster && home <= number, SectionKind::kDictionaryEntries,
                  offset, "a probe from the term's home does not reach the bucket");
}

// Counts the slots. That each rare term has one is seen when it is looked up.
void DictionaryVerifier::CheckRareSlots() {
  const auto slots = segment_.view().RawArray<RareTermSlot>(SectionKind::kRareTermSlots);
  uint64_t last_used = 0;
  for (uint64_t at = 0; at < slots.size(); ++at) {
    if (slots[at] == 0) continue;
    findings_.Check(at % kRareSlotsPerBucket == 0 || slots[at - 1] != 0,
                    SectionKind::kRareTermSlots, at * sizeof(RareTermSlot),
                    "a slot behind a free one of its bucket");
    last_used = at;
    ++used_slots_;
  }
  const uint64_t needed = used_slots_ == 0 ? 1 : (last_used + 1) / kRareSlotsPerBucket + 1;
  findings_.Check(
      slots.size() == std::max<uint64_t>(meta_->rare_bucket_count, needed) * kRareSlotsPerBucket,
      SectionKind::kRareTermSlots, 0, "not as many buckets as the terms need");
}

void DictionaryVerifier::CheckBlockStarts() {
  bool sound = starts_.front() == 0 && starts_.back() == blocks_.size();
  for (size_t i = 1; i < starts_.size(); ++i) sound &= starts_[i - 1] < starts_[i];
  findings_.Check(sound, SectionKind::kTermBlockStarts, 0,
                  "the starts do not divide the term blocks");
}

void DictionaryVerifier::CheckField(FieldId field) {
  const FieldEntry& entry = fields_[field];
  const uint64_t meta_offset = sizeof(SegmentMeta) + field * sizeof(FieldEntry);
  const uint64_t blocks = (entry.term_count + kTermsPerBlock - 1) / kTermsPerBlock;
  const bool sound =
      entry.term_block_count == blocks && entry.first_term_block == (blocks == 0 ? 0 : next_block_);
  findings_.Check(sound, SectionKind::kMeta, meta_offset,
                  "the field's term blocks do not follow those of the field before");
  // Segment::Open has checked that these blocks exist.
  const uint64_t begin = blocks == 0 ? 0 : starts_[entry.first_term_block];
  const uint64_t end =
      blocks == 0 ? 0 : starts_[uint64_t{entry.first_term_block} + entry.term_block_count];
  findings_.Check(entry.term_blocks_begin == begin && entry.term_blocks_bytes == end - begin,
                  SectionKind::kMeta, meta_offset,
                  "the field's term blocks are not as many bytes as it says");
  term_.clear();
  for (uint64_t i = 0; i < entry.term_block_count && !findings_.full(); ++i) {
    const uint64_t left = entry.term_count - i * kTermsPerBlock;
    CheckBlock(field, entry.first_term_block + i, std::min<uint64_t>(left, kTermsPerBlock));
  }
  next_block_ += entry.term_block_count;
  lists_.FinishField(field);
}

void DictionaryVerifier::CheckBlock(FieldId field, uint64_t block, uint64_t term_count) {
  const uint64_t end = starts_[block + 1];
  uint64_t at = starts_[block];
  if (at > end || end > blocks_.size()) return;  // CheckBlockStarts has said so
  for (uint64_t i = 0; i < term_count && !findings_.full(); ++i) {
    const TermLine line = ReadTermLine(blocks_.subspan(at, end - at), term_.size(), format_);
    if (!findings_.Check(line.size_bytes != 0 && (i > 0 || line.shared == 0),
                         SectionKind::kTermBlocks, at, "a term makes no sense")) {
      return;
    }
    const std::string before = term_;
    term_.resize(line.shared);
    term_.append(reinterpret_cast<const char*>(line.suffix), line.suffix_bytes);
    findings_.Check(before < term_, SectionKind::kTermBlocks, at, "terms do not ascend");
    findings_.Check(i == 0 || CountSharedBytes(before, term_) == line.shared,
                    SectionKind::kTermBlocks, at, "the shared bytes are not all that are shared");
    CheckSignature(block, i, SignatureOf(term_));
    if (!CheckTerm(field, at, line)) return;
    at += line.size_bytes;
  }
  for (uint64_t i = term_count; i < kTermsPerBlock; ++i) CheckSignature(block, i, 0);
  findings_.Check(at == end, SectionKind::kTermBlocks, at, "bytes after the block's last term");
}

void DictionaryVerifier::CheckSignature(uint64_t block, uint64_t index, TermSignature expected) {
  if (signatures_.empty()) return;
  findings_.Check(signatures_[block].of_term[index] == expected, SectionKind::kTermSignatures,
                  block * sizeof(BlockSignatures) + index * sizeof(TermSignature),
                  expected == 0 ? "a signature without a term" : "not the signature of the term");
}

bool DictionaryVerifier::CheckTerm(FieldId field, uint64_t offset, const TermLine& line) {
  if (!line.is_inline()) return CheckFrequent(field, offset, line);
  CheckRare(field, offset, line);
  return true;
}

bool DictionaryVerifier::CheckFrequent(FieldId field, uint64_t offset, const TermLine& line) {
  ++frequent_terms_;
  const uint32_t bucket = BucketOf(line);
  if (!findings_.Check(bucket < entries_.size(), SectionKind::kTermBlocks, offset,
                       "there is no such bucket")) {
    return false;
  }
  const DictionaryEntry& entry = entries_[bucket];
  if (!findings_.Check(
          entry.field == field && segment_.dictionary().Term(entry).value_or("") == term_,
          SectionKind::kTermBlocks, offset, "the entry holds another term")) {
    return false;
  }
  const uint64_t entry_offset = bucket * sizeof(DictionaryEntry);
  std::array<std::byte, kExtentRestBytes> expected;
  WriteExtentRest(entry, bucket, expected.data());
  findings_.Check(std::equal(expected.begin() + 1, expected.end(), line.rest),
                  SectionKind::kTermBlocks, offset,
                  "the place of the documents is not what the entry says");
  const auto found = segment_.Find(field, term_);
  findings_.Check(found.ok() && found->has_value() && IsSameEntry(**found, entry),
                  SectionKind::kDictionaryEntries, entry_offset,
                  "looking the term up finds another entry");
  if (term_.size() > kInlineTermBytes) {
    findings_.Check(LongTermOffset(entry) == long_bytes_, SectionKind::kDictionaryEntries,
                    entry_offset, "the bytes do not follow those of the term before");
    long_bytes_ += term_.size();
  }
  findings_.Check(!IsInline(entry.representation), SectionKind::kDictionaryEntries, entry_offset,
                  "an entry with an inline list");
  lists_.Verify(entry, SectionKind::kDictionaryEntries, entry_offset);
  return true;
}

void DictionaryVerifier::CheckRare(FieldId field, uint64_t offset, const TermLine& line) {
  ++rare_terms_;
  DictionaryEntry entry = InlineEntry(line, format_);
  entry.field = field;
  entry.term_bytes = static_cast<uint8_t>(term_.size());
  // A list of which the form is false does not give the same bytes again.
  std::array<std::byte, 2 * kMaxLineRestBytes> expected;
  const bool fits =
      entry.representation == Representation::kInline || entry.cf <= kMaxInlinePositions;
  const size_t rest_bytes =
      fits ? WriteInlineRest(entry, format_, segment_.has_positions(), expected.data()) : 0;
  const std::byte* const rest = line.rest - 1;
  findings_.Check(rest + rest_bytes == line.suffix - kTermHeadBytes + line.size_bytes &&
                      std::equal(expected.begin(), expected.begin() + rest_bytes, rest),
                  SectionKind::kTermBlocks, offset, "the line is not as its list must be written");
  const auto found = segment_.Find(field, term_);
  findings_.Check(found.ok() && found->has_value() && IsSameEntry(**found, entry),
                  SectionKind::kRareTermSlots, 0,
                  absl::StrCat("looking up the term at ", offset, " does not find it"));
  lists_.Verify(entry, SectionKind::kTermBlocks, offset);
}

}  // namespace

void VerifyDictionary(const Segment& segment, FindingList& findings) {
  DictionaryVerifier(segment, findings).Verify();
}

}  // namespace pmdex
