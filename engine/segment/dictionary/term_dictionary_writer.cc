#include "engine/segment/dictionary/term_dictionary_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "engine/segment/dictionary/radix_sort.h"
#include "engine/segment/dictionary/term_key.h"
#include "pmem/prefetch.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

// Bucket numbers have 32 bits. The table for so many terms is smaller than that, even with the
// buckets behind the last home bucket.
constexpr uint64_t kMaxTerms = uint64_t{1} << 31;
constexpr size_t kEntriesAhead = 16;

// True if a < b. shared: the length of their longest common prefix.
bool IsBefore(std::string_view a, std::string_view b, size_t shared) {
  if (shared == b.size()) return false;
  return shared == a.size() ||
         static_cast<unsigned char>(a[shared]) < static_cast<unsigned char>(b[shared]);
}

// The number of home buckets for `count` elements. capacity: elements that a full bucket holds.
uint32_t HomeBuckets(size_t count, double capacity) {
  return static_cast<uint32_t>(std::max(1.0, std::ceil(static_cast<double>(count) / capacity)));
}

}  // namespace

TermDictionaryWriter::MemoryBytes TermDictionaryWriter::EstimateMemory(const WriterCounts& counts) {
  constexpr uint64_t kVectorGrowth = 3;  // of a vector that doubles: old and new memory
  const auto in_deque = [](uint64_t bytes) { return bytes + bytes / 8; };
  // What the line of a rare term has behind the term: with the form and one posting, and for each
  // further posting or occurrence.
  const auto docs = static_cast<uint32_t>(std::min<uint64_t>(counts.docs, kMaxDocsPerSegment));
  const uint64_t further = DocIdBytes(docs) + 1 + (counts.has_positions ? sizeof(uint16_t) : 1);
  const uint64_t rare = 1 + further;
  const uint64_t open = sizeof(uint32_t) * kVectorGrowth + in_deque(sizeof(OpenTerm));
  const uint64_t frequent = kMaxLineRestBytes + in_deque(sizeof(DictionaryEntry)) + open;
  const uint64_t extents = counts.Extents();
  const uint64_t further_of_extents = extents * kMaxInlinePostings;
  const uint64_t further_postings = counts.FurtherPostings();
  const uint64_t terms_bytes =
      counts.terms * (kTermHeadBytes + rare) + counts.term_bytes + extents * frequent +
      (further_postings - std::min(further_postings, further_of_extents)) * further;
  // Memory for the slots of all terms is reserved.
  const uint64_t slots = counts.terms * sizeof(RareTerm);
  const uint64_t held =
      ByteChunks::EstimateMemory(terms_bytes) + ByteChunks::EstimateMemory(counts.long_term_bytes) +
      slots +
      counts.terms / kTermsPerBlock * (sizeof(uint64_t) + in_deque(sizeof(BlockSignatures)));
  const uint64_t buckets = extents * (sizeof(FrequentTerm) + sizeof(uint32_t));
  return {held + buckets + slots,  // RadixSort copies them
          held + buckets};
}

void TermDictionaryWriter::Reserve(uint64_t terms) {
  rare_.reserve(terms);
  if (terms > 0) block_starts_.reserve(terms / kTermsPerBlock + fields_.size());
}

absl::Status TermDictionaryWriter::AddTerm(const TermStream& terms, DictionaryEntry& entry) {
  const std::string_view term = terms.term();
  const FieldId field = terms.field();
  if (field >= fields_.size() || term.empty() || term.size() > kMaxTokenBytes) {
    return BrokenStream(terms, "not a term of the segment's fields");
  }
  const std::string_view last(last_term_.data(), last_term_bytes_);
  const size_t shared = field == last_field_ ? CountSharedBytes(last, term) : 0;
  if (field < last_field_ || (field == last_field_ && !IsBefore(last, term, shared))) {
    return BrokenStream(terms, "terms are not in order");
  }
  if (term_count() == kMaxTerms || lines_.size_bytes() > kMaxTermBlocksBytes - kMaxLineBytes) {
    return InvalidArgument("too many terms for one segment");
  }
  FieldTerms& statistics = fields_[field];
  if (terms_in_block_ == kTermsPerBlock || statistics.block_count == 0) StartBlock(field);
  ++statistics.term_count;
  statistics.posting_count += terms.df();
  last_field_ = field;
  entry.field = field;
  entry.term_bytes = static_cast<uint8_t>(term.size());
  const uint64_t term_hash = HashTermBytes(hash_seed_, term);
  const auto number = static_cast<uint32_t>(term_count());
  const bool is_rare = IsInline(entry.representation);
  if (is_rare) {
    const uint64_t hash = MixField(term_hash, field);
    rare_.push_back(
        {RareSlot(block_starts_.back(), terms_in_block_, hash), static_cast<uint32_t>(hash >> 32)});
  } else {
    AddFrequent(term, term_hash, entry);
  }
  const uint64_t rest = AddLine(term, shared, entry);
  statistics.blocks_bytes = lines_.size_bytes() - statistics.blocks_begin;
  if (!is_rare || (has_positions_ && entry.representation == Representation::kInline)) {
    open_terms_.push_back(number);
    open_places_.push_back({term_hash, rest});
  }
  return absl::OkStatus();
}

void TermDictionaryWriter::AddFrequent(std::string_view term, uint64_t term_hash,
                                       DictionaryEntry& entry) {
  TermKey(term, term_hash).Store(long_terms_.size_bytes(), entry);
  entries_.push_back(entry);
  if (term.size() > kInlineTermBytes) {
    std::memcpy(long_terms_.Room(), term.data(), term.size());
    long_terms_.Commit(term.size());
  }
}

void TermDictionaryWriter::StartBlock(FieldId field) {
  FieldTerms& statistics = fields_[field];
  if (statistics.block_count++ == 0) {
    statistics.first_block = static_cast<uint32_t>(block_starts_.size());
    statistics.blocks_begin = lines_.size_bytes();
  }
  block_starts_.push_back(lines_.size_bytes());
  signatures_.push_back({});
  terms_in_block_ = 0;
}

uint64_t TermDictionaryWriter::AddLine(std::string_view term, size_t shared,
                                       const DictionaryEntry& entry) {
  std::byte* const out = lines_.Room();
  // The bytes that the term shares with the last one are in last_term_ already.
  std::memcpy(last_term_.data() + shared, term.data() + shared, term.size() - shared);
  last_term_bytes_ = term.size();
  signatures_.back().of_term[terms_in_block_] = SignatureOf(term);
  if (terms_in_block_++ == 0) shared = 0;
  const size_t suffix = term.size() - shared;
  out[0] = static_cast<std::byte>(shared);
  out[1] = static_cast<std::byte>(suffix);
  std::memcpy(out + kTermHeadBytes, term.data() + shared, suffix);
  const size_t before_rest = kTermHeadBytes + suffix;
  std::byte* const rest = out + before_rest;
  const size_t rest_bytes = IsInline(entry.representation)
                                ? WriteInlineRest(entry, line_format_, has_positions_, rest)
                                : WriteExtentRest(entry, 0, rest);
  return lines_.Commit(before_rest + rest_bytes) + before_rest;
}

uint64_t TermDictionaryWriter::BucketOf(const FrequentTerm& term, uint64_t next_free) const {
  return std::max(next_free, HomeBucket(uint64_t{term.hash} << 32, home_bucket_count_));
}

uint64_t TermDictionaryWriter::SlotOf(const RareTerm& term, uint64_t next_free) const {
  const uint64_t bucket = HomeBucket(uint64_t{term.hash} << 32, rare_bucket_count_);
  return std::max(next_free, bucket * kRareSlotsPerBucket);
}

absl::Status TermDictionaryWriter::AssignBuckets() {
  home_bucket_count_ = HomeBuckets(entries_.size(), kDictionaryLoadFactor);
  frequent_.reserve(entries_.size());
  for (const DictionaryEntry& entry : entries_) {
    frequent_.push_back(
        {static_cast<uint32_t>(HashOf(entry) >> 32), static_cast<uint32_t>(frequent_.size())});
  }
  // A greater hash never has a smaller home bucket. In the order of hashes each term therefore gets
  // its home bucket, or the first bucket behind the terms before it. The sort is stable, so that
  // the same input always gives the same file.
  RadixSort(frequent_, [](const FrequentTerm& term) { return term.hash; });
  bucket_numbers_.resize(frequent_.size());
  uint64_t next_free = 0;
  for (const FrequentTerm& term : frequent_) {
    const uint64_t number = BucketOf(term, next_free);
    if (number >= 0xffffffff) return InvalidArgument("too many terms for one segment");
    bucket_numbers_[term.number] = static_cast<uint32_t>(number);
    next_free = number + 1;
  }
  bucket_count_ = std::max<uint64_t>(home_bucket_count_, next_free) + 1;
  AssignRareSlots();
  return absl::OkStatus();
}

uint64_t TermDictionaryWriter::HashOf(const DictionaryEntry& entry) const {
  uint64_t term_hash = 0;  // the key of a long term begins with it
  if (entry.term_bytes > kInlineTermBytes) {
    std::memcpy(&term_hash, entry.key, sizeof(term_hash));
  } else {
    const auto* const term = reinterpret_cast<const char*>(entry.key);
    term_hash = HashTermBytes(hash_seed_, {term, entry.term_bytes});
  }
  return MixField(term_hash, entry.field);
}

void TermDictionaryWriter::AssignRareSlots() {
  rare_bucket_count_ = HomeBuckets(rare_.size(), kRareLoadFactor * kRareSlotsPerBucket);
  RadixSort(rare_, [](const RareTerm& term) { return term.hash; });
  uint64_t next_free = 0;
  for (const RareTerm& term : rare_) next_free = SlotOf(term, next_free) + 1;
  // The last bucket has a free slot.
  const uint64_t buckets =
      std::max<uint64_t>(rare_bucket_count_, next_free / kRareSlotsPerBucket + 1);
  rare_slot_count_ = buckets * kRareSlotsPerBucket;
}

absl::Status TermDictionaryWriter::SetEntry(const TermStream& terms, DictionaryEntry& entry) {
  const std::string_view term = terms.term();
  if (set_terms_ == open_terms_.size() || term.size() > kMaxTokenBytes) {
    return BrokenStream(terms, "the second pass differs from the first");
  }
  const OpenTerm& open = open_places_[set_terms_++];
  const uint64_t term_hash = HashTermBytes(hash_seed_, term);
  std::byte* const rest = lines_.At(open.rest);
  const bool was_rare = *rest != static_cast<std::byte>(kLineOfExtent);
  entry.field = terms.field();
  entry.term_bytes = static_cast<uint8_t>(term.size());
  if (term_hash != open.term_hash || IsInline(entry.representation) != was_rare) {
    return BrokenStream(terms, "the second pass differs from the first");
  }
  if (was_rare) return SetRare(terms, entry, rest);
  if (entry.lanes.postings_offset >= kMaxPostingsBytes) {
    return InvalidArgument("too many postings for one segment");
  }
  DictionaryEntry& held = entries_[set_entries_];
  if (held.field != entry.field) {
    return BrokenStream(terms, "the second pass differs from the first");
  }
  std::memcpy(entry.key, held.key, sizeof(entry.key));
  held = entry;
  WriteExtentRest(entry, bucket_numbers_[set_entries_++], rest);
  return absl::OkStatus();
}

absl::Status TermDictionaryWriter::SetRare(const TermStream& terms, const DictionaryEntry& entry,
                                           std::byte* rest) const {
  if (entry.inlined.position_start >> (8 * kPositionStartBytes) != 0) {
    return InvalidArgument("too many positions for one segment");
  }
  std::array<std::byte, kMaxLineRestBytes> bytes;
  const size_t size_bytes = WriteInlineRest(entry, line_format_, has_positions_, bytes.data());
  // Lines of the same form with positions elsewhere have the same size.
  if (entry.representation != Representation::kInline || bytes[0] != *rest) {
    return BrokenStream(terms, "the second pass differs from the first");
  }
  std::copy_n(bytes.data(), size_bytes, rest);
  return absl::OkStatus();
}

absl::Status TermDictionaryWriter::CheckAllEntriesSet() const {
  if (set_terms_ == open_terms_.size()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInternal,
                    absl::StrCat("term dictionary: expected entries of ", open_terms_.size(),
                                 " terms in the second pass, found ", set_terms_));
}

absl::Status TermDictionaryWriter::WriteEntries(SectionStream& entries) const {
  PMDEX_RETURN_IF_ERROR(CheckAllEntriesSet());
  constexpr DictionaryEntry kEmpty{};
  uint64_t next = 0;
  for (size_t i = 0; i < frequent_.size(); ++i) {
    if (i + kEntriesAhead < frequent_.size()) {
      PrefetchLine(&entries_[frequent_[i + kEntriesAhead].number]);
    }
    const uint64_t number = BucketOf(frequent_[i], next);
    for (; next < number; ++next) entries.AppendValue(kEmpty);
    entries.AppendValue(entries_[frequent_[i].number]);
    ++next;
  }
  for (; next < bucket_count_; ++next) entries.AppendValue(kEmpty);
  return absl::OkStatus();
}

void TermDictionaryWriter::WriteTermBytes(SectionStream& term_bytes) {
  for (size_t i = 0; i < long_terms_.chunk_count(); ++i) term_bytes.Append(long_terms_.chunk(i));
}

absl::Status TermDictionaryWriter::WriteBlocks(SectionStream& blocks) {
  PMDEX_RETURN_IF_ERROR(CheckAllEntriesSet());
  for (size_t i = 0; i < lines_.chunk_count(); ++i) blocks.Append(lines_.chunk(i));
  return absl::OkStatus();
}

void TermDictionaryWriter::WriteBlockStarts(SectionStream& block_starts) const {
  block_starts.AppendArray(std::span<const uint64_t>(block_starts_));
  block_starts.AppendValue(lines_.size_bytes());
}

void TermDictionaryWriter::WriteRareSlots(SectionStream& rare_slots) const {
  constexpr RareTermSlot kFree = 0;
  uint64_t next = 0;
  for (const RareTerm& term : rare_) {
    const uint64_t number = SlotOf(term, next);
    for (; next < number; ++next) rare_slots.AppendValue(kFree);
    rare_slots.AppendValue(term.slot);
    ++next;
  }
  for (; next < rare_slot_count_; ++next) rare_slots.AppendValue(kFree);
}

void TermDictionaryWriter::WriteSignatures(SectionStream& signatures) const {
  for (const BlockSignatures& of_block : signatures_) signatures.AppendValue(of_block);
}

}  // namespace pmdex
