#include "engine/segment/dictionary/term_dictionary.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "engine/analysis/analyzer.h"
#include "engine/segment/dictionary/term_key.h"

namespace pmdex {
namespace {

constexpr uint64_t kBucketsPerPage = kPageBytes / sizeof(DictionaryEntry);

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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
  if (start_bytes % sizeof(uint64_t) != 0 || start_bytes == 0) {
    return view.Damage(SectionKind::kTermBlockStarts, start_bytes, "no whole numbers");
  }
  const uint64_t block_count = start_bytes / sizeof(uint64_t) - 1;
  for (const FieldEntry& field : fields) {
    if (field.first_term_block > block_count ||
        field.term_block_count > block_count - field.first_term_block) {
      return view.Damage(SectionKind::kMeta, 0, "a field's term blocks do not exist");
    }
  }
  dictionary.view_ = &view;
  dictionary.entries_ = view.RawArray<DictionaryEntry>(SectionKind::kDictionaryEntries);
  dictionary.fields_ = fields;
  dictionary.hash_seed_ = meta.hash_seed;
  dictionary.home_bucket_count_ = meta.home_bucket_count;
  return dictionary;
}

absl::StatusOr<const DictionaryEntry*> TermDictionary::Find(FieldId field,
                                                            std::string_view term) const {
  if (term.empty() || term.size() > kMaxTokenBytes || entries_.empty()) return nullptr;
  const uint64_t term_hash = HashTermBytes(hash_seed_, term);
  const uint64_t home = HomeBucket(MixField(term_hash, field), home_bucket_count_);
  const TermKey key(term, term_hash);
  for (uint64_t at = home; at < entries_.size(); ++at) {
    const DictionaryEntry& entry = entries_[at];
    if (at == home || at % kBucketsPerPage == 0) {
      PMDEX_RETURN_IF_ERROR(view_->Verify(SectionKind::kDictionaryEntries,
                                          at * sizeof(DictionaryEntry), sizeof(DictionaryEntry)));
    }
    if (entry.representation == Representation::kEmpty) return nullptr;
    if (entry.field != field || entry.term_bytes != term.size() || !key.Matches(entry)) continue;
    if (term.size() <= kInlineTermBytes) return &entry;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view bytes, Term(entry));
    if (bytes == term) return &entry;
  }
  return nullptr;
}

void TermDictionary::Prefetch(FieldId field, std::string_view term) const {
  if (term.empty() || term.size() > kMaxTokenBytes || entries_.empty()) return;
  const uint64_t home = HomeBucket(HashTerm(hash_seed_, field, term), home_bucket_count_);
  if (home >= entries_.size()) return;
  view_->Fetch(SectionKind::kDictionaryEntries, home * sizeof(DictionaryEntry),
               sizeof(DictionaryEntry));
}

absl::StatusOr<std::string_view> TermDictionary::Term(const DictionaryEntry& entry) const {
  if (entry.representation == Representation::kEmpty) return std::string_view();
  if (entry.term_bytes <= kInlineTermBytes) {
    return std::string_view(reinterpret_cast<const char*>(entry.key), entry.term_bytes);
  }
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view_->Slice(SectionKind::kTermBytes,
                                                        LongTermOffset(entry), entry.term_bytes));
  return AsText(bytes);
}

TermIterator::TermIterator(const TermDictionary& dictionary, FieldId field)
    : dictionary_(&dictionary) {
  if (field >= dictionary.fields_.size()) return;
  first_block_ = dictionary.fields_[field].first_term_block;
  block_count_ = dictionary.fields_[field].term_block_count;
  starts_ = dictionary.view_->RawArray<uint64_t>(SectionKind::kTermBlockStarts);
}

bool TermIterator::EndHere() {
  rest_ = {};
  term_bytes_ = 0;
  return false;
}

bool TermIterator::Fail(std::string_view what) {
  status_ = dictionary_->view_->Damage(SectionKind::kTermBlocks, 0, what);
  return EndHere();
}

// The verified bytes of a block. Empty, with status_ set, if they lie outside or are damaged.
std::span<const std::byte> TermIterator::BlockBytes(uint64_t block) {
  const SegmentView& view = *dictionary_->view_;
  const uint64_t first = first_block_ + block;
  status_ =
      view.Verify(SectionKind::kTermBlockStarts, first * sizeof(uint64_t), 2 * sizeof(uint64_t));
  if (!status_.ok()) return {};
  const uint64_t begin = starts_[first];
  const uint64_t end = starts_[first + 1];
  const std::span<const std::byte> section = view.RawSection(SectionKind::kTermBlocks);
  if (begin >= end || end > section.size()) {
    status_ = view.Damage(SectionKind::kTermBlockStarts, first * sizeof(uint64_t),
                          "the starts do not ascend, or leave their section");
    return {};
  }
  status_ = view.Verify(SectionKind::kTermBlocks, begin, end - begin);
  if (!status_.ok()) return {};
  return section.subspan(begin, end - begin);
}

// The first term of a block. nullopt, with status_ set, if the block is damaged.
std::optional<std::string_view> TermIterator::Head(uint64_t block) {
  const std::span<const std::byte> bytes = BlockBytes(block);
  if (!status_.ok()) return std::nullopt;
  if (bytes.size() >= kTermHeadBytes && std::to_integer<size_t>(bytes[0]) == 0) {
    const size_t size_bytes = std::to_integer<size_t>(bytes[1]);
    if (size_bytes > 0 && size_bytes <= bytes.size() - kTermHeadBytes) {
      return AsText(bytes.subspan(kTermHeadBytes, size_bytes));
    }
  }
  Fail(absl::StrCat("the head of block ", first_block_ + block, " makes no sense"));
  return std::nullopt;
}

bool TermIterator::LoadBlock(uint64_t block) {
  block_ = block;
  term_bytes_ = 0;
  rest_ = BlockBytes(block);
  return status_.ok();
}

// Reads the next term of the block. Requires that rest_ is not empty.
bool TermIterator::DecodeNext() {
  size_t shared = 0;
  size_t suffix = 0;
  if (rest_.size() >= kTermHeadBytes) {
    shared = std::to_integer<size_t>(rest_[0]);
    suffix = std::to_integer<size_t>(rest_[1]);
  }
  uint32_t bucket = 0;
  const size_t before_place = kTermHeadBytes + suffix + sizeof(bucket);
  size_t place_bytes = 0;
  if (rest_.size() > before_place && suffix > 0 && shared <= term_bytes_ &&
      shared + suffix <= kMaxTokenBytes) {
    std::memcpy(&bucket, rest_.data() + kTermHeadBytes + suffix, sizeof(bucket));
    place_ = rest_.data() + before_place;
    place_first_ = *place_;
    place_bytes = DocumentsPlaceBytes(place_first_);
  }
  if (place_bytes == 0 || place_bytes > rest_.size() - before_place ||
      bucket >= dictionary_->entries_.size()) {
    return Fail(absl::StrCat("a term of block ", first_block_ + block_, " makes no sense"));
  }
  const bool is_short = suffix <= kShortCopy && rest_.size() >= kTermHeadBytes + kShortCopy;
  if (is_short) {
    std::memcpy(term_.data() + shared, rest_.data() + kTermHeadBytes, kShortCopy);
  } else {
    std::memcpy(term_.data() + shared, rest_.data() + kTermHeadBytes, suffix);
  }
  term_bytes_ = shared + suffix;
  bucket_ = bucket;
  rest_ = rest_.subspan(before_place + place_bytes);
  return true;
}

absl::StatusOr<const DictionaryEntry*> TermIterator::entry() const {
  PMDEX_RETURN_IF_ERROR(dictionary_->view_->Verify(
      SectionKind::kDictionaryEntries, bucket_ * sizeof(DictionaryEntry), sizeof(DictionaryEntry)));
  return &dictionary_->entries_[bucket_];
}

bool TermIterator::Next() {
  if (!status_.ok()) return EndHere();
  if (!started_) {
    started_ = true;
    if (block_count_ == 0) return false;
    return LoadBlock(0) && DecodeNext();
  }
  if (rest_.empty()) {
    if (block_ + 1 >= block_count_) {
      block_ = block_count_;
      return EndHere();
    }
    if (!LoadBlock(block_ + 1)) return EndHere();
  }
  return DecodeNext();
}

// The last block in [low, high) whose first term is <= target, or low if there is none. Exponential
// search: doubles the step from low until a block is too far, then searches the last step. A block
// near low costs little, a far one up to twice a binary search. A first step of `high` makes it a
// binary search.
std::optional<uint64_t> TermIterator::LastBlockUpTo(std::string_view target, uint64_t low,
                                                    uint64_t high, uint64_t step) {
  while (high - low > 1) {
    const uint64_t probe = low + (step < high - low ? step : (high - low) / 2);
    const std::optional<std::string_view> head = Head(probe);
    if (!head.has_value()) return std::nullopt;
    if (*head <= target) {
      low = probe;
      step *= 4;
    } else {
      high = probe;
      step = high;
    }
  }
  return low;
}

bool TermIterator::Seek(std::string_view target) {
  const bool is_ahead = term_bytes_ > 0 && term() <= target;
  started_ = true;
  if (!status_.ok() || block_count_ == 0) return EndHere();
  const std::optional<uint64_t> block = is_ahead
                                            ? LastBlockUpTo(target, block_, block_count_, 1)
                                            : LastBlockUpTo(target, 0, block_count_, block_count_);
  if (!block.has_value()) return EndHere();
  if (!(is_ahead && *block == block_) && !(LoadBlock(*block) && DecodeNext())) return EndHere();
  while (term() < target) {
    if (!Next()) return false;
  }
  return true;
}

bool TermIterator::SeekPart(uint64_t part, uint64_t parts) {
  started_ = true;
  if (!status_.ok() || block_count_ == 0) return EndHere();
  return (LoadBlock(block_count_ * part / parts) && DecodeNext()) || EndHere();
}

}  // namespace pmdex
