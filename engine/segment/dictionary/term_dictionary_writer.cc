#include "engine/segment/dictionary/term_dictionary_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "engine/segment/dictionary/documents_place.h"
#include "engine/segment/dictionary/radix_sort.h"
#include "engine/segment/dictionary/term_key.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

// Bucket numbers have 32 bits. The table for so many terms is smaller than that, even with the
// buckets behind the last home bucket.
constexpr uint64_t kMaxTerms = uint64_t{1} << 31;
constexpr size_t kPrefetchDistance = 16;

// True if a < b. shared: the length of their longest common prefix.
bool IsBefore(std::string_view a, std::string_view b, size_t shared) {
  if (shared == b.size()) return false;
  return shared == a.size() ||
         static_cast<unsigned char>(a[shared]) < static_cast<unsigned char>(b[shared]);
}

}  // namespace

TermDictionaryWriter::MemoryBytes TermDictionaryWriter::EstimateMemory(const WriterCounts& counts) {
  constexpr uint64_t kVectorGrowth = 3;  // of a vector that doubles: old and new memory
  const uint64_t front_coded = counts.terms * kTermHeadBytes + counts.term_bytes;
  const uint64_t hashes = counts.terms * sizeof(HashedTerm);
  const uint64_t held = ByteChunks::EstimateMemory(front_coded) +
                        ByteChunks::EstimateMemory(counts.long_term_bytes) +
                        PackedEntries::EstimateMemory(counts) + hashes +
                        counts.terms / kTermsPerBlock * sizeof(uint64_t) +
                        counts.Extents() * kVectorGrowth * sizeof(uint32_t);
  return {held + hashes,  // RadixSort copies them
          held + counts.terms * sizeof(uint32_t)};
}

void TermDictionaryWriter::Reserve(uint64_t terms) {
  hashes_.reserve(terms);
  entries_.Reserve(terms);
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
  const uint64_t number = hashes_.size();
  if (number == kMaxTerms) return InvalidArgument("too many terms for one segment");
  AddToBlock(field, term, shared);
  rest_of_blocks_limit_ += sizeof(uint32_t) + MaxDocumentsPlaceBytes(terms.df());
  FieldTerms& statistics = fields_[field];
  ++statistics.term_count;
  statistics.posting_count += terms.df();
  const uint64_t hash = HashTermBytes(hash_seed_, term);
  hashes_.push_back(
      {static_cast<uint32_t>(MixField(hash, field) >> 32), static_cast<uint32_t>(number)});
  TermKey(term, hash).Store(long_terms_.size_bytes(), entry);
  entry.field = field;
  entry.term_bytes = static_cast<uint8_t>(term.size());
  entries_.Add(entry);
  if (entry.representation == Representation::kEmpty) {
    open_terms_.push_back(static_cast<uint32_t>(number));
  }
  if (term.size() > kInlineTermBytes) {
    std::memcpy(long_terms_.Room(), term.data(), term.size());
    long_terms_.Commit(term.size());
  }
  return absl::OkStatus();
}

void TermDictionaryWriter::AddToBlock(FieldId field, std::string_view term, size_t shared) {
  std::byte* const out = front_coded_.Room();
  FieldTerms& statistics = fields_[field];
  if (terms_in_block_ == kTermsPerBlock || statistics.block_count == 0) {
    if (statistics.block_count++ == 0) {
      statistics.first_block = static_cast<uint32_t>(block_starts_.size());
    }
    block_starts_.push_back(front_coded_.size_bytes());
    terms_in_block_ = 0;
  }
  ++terms_in_block_;
  // The bytes that the term shares with the last one are in last_term_ already.
  std::memcpy(last_term_.data() + shared, term.data() + shared, term.size() - shared);
  last_term_bytes_ = term.size();
  last_field_ = field;
  if (terms_in_block_ == 1) shared = 0;
  const size_t rest = term.size() - shared;
  out[0] = static_cast<std::byte>(shared);
  out[1] = static_cast<std::byte>(rest);
  std::memcpy(out + kTermHeadBytes, term.data() + shared, rest);
  front_coded_.Commit(kTermHeadBytes + rest);
}

uint64_t TermDictionaryWriter::BucketOf(const HashedTerm& hashed, uint64_t next_free) const {
  return std::max(next_free, HomeBucket(uint64_t{hashed.hash} << 32, home_bucket_count_));
}

absl::Status TermDictionaryWriter::AssignBuckets() {
  home_bucket_count_ = static_cast<uint32_t>(
      std::max(1.0, std::ceil(static_cast<double>(term_count()) / kDictionaryLoadFactor)));
  // A greater hash never has a smaller home bucket. In the order of hashes each term therefore gets
  // its home bucket, or the first bucket behind the terms before it. The sort is stable, so that
  // the same input always gives the same file.
  RadixSort(hashes_, [](const HashedTerm& hashed) { return hashed.hash; });
  bucket_numbers_.resize(term_count());
  uint64_t next_free = 0;
  for (const HashedTerm& hashed : hashes_) {
    const uint64_t number = BucketOf(hashed, next_free);
    if (number >= 0xffffffff) return InvalidArgument("too many terms for one segment");
    bucket_numbers_[hashed.term] = static_cast<uint32_t>(number);
    next_free = number + 1;
  }
  bucket_count_ = std::max<uint64_t>(home_bucket_count_, next_free) + 1;
  return absl::OkStatus();
}

absl::Status TermDictionaryWriter::SetEntry(uint32_t number, const TermStream& terms,
                                            DictionaryEntry& entry) {
  const bool has_extent = entry.representation == Representation::kLanes ||
                          entry.representation == Representation::kBitset;
  if (has_extent && entry.lanes.postings_offset >= kMaxPostingsBytes) {
    return InvalidArgument("too many postings for one segment");
  }
  const std::string_view term = terms.term();
  const bool is_long = term.size() > kInlineTermBytes;
  TermKey(term, is_long ? HashTermBytes(hash_seed_, term) : 0).Store(0, entry);
  entry.field = terms.field();
  entry.term_bytes = static_cast<uint8_t>(term.size());
  if (number >= term_count() || term.size() > kMaxTokenBytes || !entries_.Set(number, entry)) {
    return BrokenStream(terms, "the second pass differs from the first");
  }
  ++set_entries_;
  return absl::OkStatus();
}

absl::Status TermDictionaryWriter::CheckAllEntriesSet() const {
  if (set_entries_ == open_terms_.size()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInternal,
                    absl::StrCat("term dictionary: expected entries of ", open_terms_.size(),
                                 " terms in the second pass, found ", set_entries_));
}

absl::Status TermDictionaryWriter::WriteEntries(SectionStream& entries) const {
  PMDEX_RETURN_IF_ERROR(CheckAllEntriesSet());
  constexpr DictionaryEntry kEmpty{};
  uint64_t next = 0;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (i + 2 * kPrefetchDistance < hashes_.size()) {
      entries_.PrefetchPlace(hashes_[i + 2 * kPrefetchDistance].term);
    }
    if (i + kPrefetchDistance < hashes_.size()) {
      entries_.Prefetch(hashes_[i + kPrefetchDistance].term);
    }
    const uint64_t number = BucketOf(hashes_[i], next);
    for (; next < number; ++next) entries.AppendValue(kEmpty);
    entries.AppendMade<DictionaryEntry>(
        [&](DictionaryEntry& entry) { entries_.Get(hashes_[i].term, entry); });
    ++next;
  }
  for (; next < bucket_count_; ++next) entries.AppendValue(kEmpty);
  return absl::OkStatus();
}

void TermDictionaryWriter::WriteTermBytes(SectionStream& term_bytes) {
  for (size_t i = 0; i < long_terms_.chunk_count(); ++i) term_bytes.Append(long_terms_.chunk(i));
}

void TermDictionaryWriter::AppendRest(size_t term, SectionStream& blocks) const {
  std::array<std::byte, sizeof(uint32_t) + kMaxDocumentsPlaceBytes> rest;
  std::memcpy(rest.data(), &bucket_numbers_[term], sizeof(uint32_t));
  DictionaryEntry entry;
  entries_.Get(term, entry);
  const size_t place_bytes = WriteDocumentsPlace(entry, rest.data() + sizeof(uint32_t));
  blocks.Append(std::span(rest).first(sizeof(uint32_t) + place_bytes));
}

absl::Status TermDictionaryWriter::WriteBlocks(SectionStream& blocks) {
  PMDEX_RETURN_IF_ERROR(CheckAllEntriesSet());
  size_t term = 0;
  size_t block = 0;
  uint64_t before = 0;  // of front_coded_, before the term
  for (size_t i = 0; i < front_coded_.chunk_count(); ++i) {
    std::span<const std::byte> left = front_coded_.chunk(i);
    for (; !left.empty(); ++term) {
      if (block < block_starts_.size() && block_starts_[block] == before) {
        block_starts_[block++] = blocks.size_bytes();
      }
      const size_t size_bytes = kTermHeadBytes + std::to_integer<size_t>(left[1]);
      blocks.Append(left.first(size_bytes));
      AppendRest(term, blocks);
      left = left.subspan(size_bytes);
      before += size_bytes;
    }
  }
  blocks_bytes_ = blocks.size_bytes();
  return absl::OkStatus();
}

void TermDictionaryWriter::WriteBlockStarts(SectionStream& block_starts) const {
  block_starts.AppendArray(std::span<const uint64_t>(block_starts_));
  block_starts.AppendValue(blocks_bytes_);
}

}  // namespace pmdex
