#include "engine/segment/verify/dictionary_verifier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

#include "engine/segment/dictionary/documents_place.h"
#include "engine/segment/dictionary/term_key.h"
#include "engine/segment/verify/list_verifier.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

class DictionaryVerifier {
 public:
  DictionaryVerifier(const Segment& segment, FindingList& findings)
      : segment_(segment),
        findings_(findings),
        entries_(segment.dictionary().entries()),
        blocks_(segment.view().RawSection(SectionKind::kTermBlocks)),
        lists_(segment, findings) {
    // Segment::Open has checked that these lie inside their sections.
    const std::byte* meta = segment.view().RawSection(SectionKind::kMeta).data();
    meta_ = reinterpret_cast<const SegmentMeta*>(meta);
    fields_ = reinterpret_cast<const FieldEntry*>(meta + sizeof(SegmentMeta));
    const std::span<const std::byte> starts =
        segment.view().RawSection(SectionKind::kTermBlockStarts);
    starts_ = {reinterpret_cast<const uint64_t*>(starts.data()), starts.size() / sizeof(uint64_t)};
  }

  void Verify() {
    CheckBuckets();
    CheckBlockStarts();
    for (size_t field = 0; field < segment_.fields().size() && !findings_.full(); ++field) {
      CheckField(static_cast<FieldId>(field));
    }
    findings_.Check(ordered_terms_ == used_buckets_, SectionKind::kDictionaryEntries, 0,
                    "entries that the ordered terms do not name");
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
  void CheckBlockStarts();
  void CheckField(FieldId field);
  void CheckBlock(FieldId field, uint64_t block, uint64_t term_count);
  bool CheckTerm(FieldId field, uint64_t offset, uint32_t bucket_number);
  uint64_t CheckPlace(uint64_t offset, std::span<const std::byte> rest,
                      const DictionaryEntry& entry);

  const Segment& segment_;
  FindingList& findings_;
  const std::span<const DictionaryEntry> entries_;
  const std::span<const std::byte> blocks_;
  std::span<const uint64_t> starts_;
  const SegmentMeta* meta_ = nullptr;
  const FieldEntry* fields_ = nullptr;
  ListVerifier lists_;
  uint64_t used_buckets_ = 0;
  uint64_t ordered_terms_ = 0;
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
  findings_.Check(used_buckets_ == meta_->term_count, SectionKind::kMeta,
                  offsetof(SegmentMeta, term_count), "not as many terms as buckets in use");
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
    const std::span<const std::byte> rest = blocks_.subspan(at, end - at);
    const size_t shared = rest.size() >= 2 ? std::to_integer<size_t>(rest[0]) : 0;
    const size_t suffix = rest.size() >= 2 ? std::to_integer<size_t>(rest[1]) : 0;
    if (!findings_.Check(suffix > 0 && rest.size() >= 2 + suffix + 4 && shared <= term_.size() &&
                             shared + suffix <= kMaxTokenBytes && (i > 0 || shared == 0),
                         SectionKind::kTermBlocks, at, "a term makes no sense")) {
      return;
    }
    const std::string before = term_;
    term_.resize(shared);
    term_.append(reinterpret_cast<const char*>(rest.data()) + 2, suffix);
    findings_.Check(before < term_, SectionKind::kTermBlocks, at, "terms do not ascend");
    findings_.Check(i == 0 || CountSharedBytes(before, term_) == shared, SectionKind::kTermBlocks,
                    at, "the shared bytes are not all that are shared");
    uint32_t bucket_number = 0;
    std::memcpy(&bucket_number, rest.data() + 2 + suffix, sizeof(bucket_number));
    if (!CheckTerm(field, at, bucket_number)) return;
    at += 2 + suffix + sizeof(bucket_number);
    at += CheckPlace(at, blocks_.subspan(at, end - at), entries_[bucket_number]);
  }
  findings_.Check(at == end, SectionKind::kTermBlocks, at, "bytes after the block's last term");
}

// Returns the size that the place should have, but no more than the bytes that are there.
uint64_t DictionaryVerifier::CheckPlace(uint64_t offset, std::span<const std::byte> rest,
                                        const DictionaryEntry& entry) {
  std::array<std::byte, kMaxDocumentsPlaceBytes> expected;
  const size_t size_bytes = WriteDocumentsPlace(entry, expected.data());
  findings_.Check(size_bytes <= rest.size() &&
                      std::equal(expected.begin(), expected.begin() + size_bytes, rest.begin()),
                  SectionKind::kTermBlocks, offset,
                  "the place of the documents is not what the entry says");
  return std::min(size_bytes, rest.size());
}

bool DictionaryVerifier::CheckTerm(FieldId field, uint64_t offset, uint32_t bucket_number) {
  ++ordered_terms_;
  if (!findings_.Check(bucket_number < entries_.size(), SectionKind::kTermBlocks, offset,
                       "there is no such bucket")) {
    return false;
  }
  const DictionaryEntry& entry = entries_[bucket_number];
  if (!findings_.Check(
          entry.field == field && segment_.dictionary().Term(entry).value_or("") == term_,
          SectionKind::kTermBlocks, offset, "the entry holds another term")) {
    return false;
  }
  findings_.Check(segment_.Find(field, term_).value_or(nullptr) == &entry,
                  SectionKind::kDictionaryEntries, bucket_number * sizeof(DictionaryEntry),
                  "looking the term up finds another entry");
  if (term_.size() > kInlineTermBytes) {
    findings_.Check(LongTermOffset(entry) == long_bytes_, SectionKind::kDictionaryEntries,
                    bucket_number * sizeof(DictionaryEntry),
                    "the bytes do not follow those of the term before");
    long_bytes_ += term_.size();
  }
  lists_.Verify(entry);
  return true;
}

}  // namespace

void VerifyDictionary(const Segment& segment, FindingList& findings) {
  DictionaryVerifier(segment, findings).Verify();
}

}  // namespace pmdex
