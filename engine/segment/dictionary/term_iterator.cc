#include "engine/segment/dictionary/term_iterator.h"

#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/short_bytes.h"

namespace pmdex {

TermIterator::TermIterator(const TermDictionary& dictionary, FieldId field)
    : dictionary_(&dictionary), field_(field) {
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
      const std::byte* term = bytes.data() + kTermHeadBytes;
      return std::string_view(reinterpret_cast<const char*>(term), size_bytes);
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
  const TermLine line = ReadTermLine(rest_, term_bytes_, dictionary_->line_format_);
  if (line.size_bytes == 0 ||
      (!line.is_inline() && BucketOf(line) >= dictionary_->entries_.size())) {
    return Fail(absl::StrCat("a term of block ", first_block_ + block_, " makes no sense"));
  }
  const bool is_short =
      line.suffix_bytes <= kShortCopy && rest_.size() >= kTermHeadBytes + kShortCopy;
  if (is_short) {
    std::memcpy(term_.data() + line.shared, line.suffix, kShortCopy);
  } else {
    std::memcpy(term_.data() + line.shared, line.suffix, line.suffix_bytes);
  }
  term_bytes_ = line.shared + line.suffix_bytes;
  line_ = line;
  rest_ = rest_.subspan(line.size_bytes);
  return true;
}

absl::StatusOr<DictionaryEntry> TermIterator::entry() const {
  if (line_.is_inline()) {
    DictionaryEntry entry = InlineEntry(line_, dictionary_->line_format_);
    entry.field = field_;
    entry.term_bytes = static_cast<uint8_t>(term_bytes_);
    return entry;
  }
  // Read again, and checked again: a mapped byte may have turned to zero, but never to more.
  const uint64_t bucket = BucketOf(line_);
  PMDEX_RETURN_IF_ERROR(dictionary_->view_->Verify(
      SectionKind::kDictionaryEntries, bucket * sizeof(DictionaryEntry), sizeof(DictionaryEntry)));
  return dictionary_->entries_[bucket];
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
  // A line says how many bytes its term shares with the one before, so that most terms before the
  // target need not be compared with it.
  size_t same = CountSharedBytes(term(), target);
  while (same < target.size() &&
         (same == term_bytes_ ||
          static_cast<unsigned char>(term_[same]) < static_cast<unsigned char>(target[same]))) {
    if (!Next()) return false;
    if (line_.shared > same) continue;  // it differs from the target where the one before does
    same = CountSharedBytes(term(), target);
  }
  return true;
}

bool TermIterator::SeekBlock(uint64_t block) {
  started_ = true;
  if (!status_.ok() || block >= block_count_) return EndHere();
  return (LoadBlock(block) && DecodeNext()) || EndHere();
}

bool TermIterator::SeekPart(uint64_t part, uint64_t parts) {
  return SeekBlock(block_count_ * part / parts);
}

}  // namespace pmdex
