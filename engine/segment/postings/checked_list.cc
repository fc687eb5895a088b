#include "engine/segment/postings/checked_list.h"

#include <algorithm>

namespace pmdex {

absl::Status CheckedList::ReadFirst(TermStream& terms) {
  postings_before_ = 0;
  freq_sum_ = 0;
  const uint32_t df = terms.df();
  if (df == 0 || df > doc_count_) return BrokenStream(terms, "df makes no sense");
  if (!terms.NextBlock(block_)) return BrokenStream(terms, "no postings");
  return Check(terms);
}

absl::Status CheckedList::ReadNext(TermStream& terms) {
  postings_before_ += block_.count;
  if (!terms.NextBlock(block_)) return BrokenStream(terms, "fewer postings than df says");
  return Check(terms);
}

absl::Status CheckedList::Finish(TermStream& terms) {
  if (freq_sum_ != terms.cf()) return BrokenStream(terms, "cf is not the sum of the frequencies");
  if (terms.NextBlock(block_)) return BrokenStream(terms, "more postings than df says");
  return absl::OkStatus();
}

absl::Status CheckedList::Check(const TermStream& terms) {
  const uint64_t left = terms.df() - postings_before_;
  const uint32_t count = block_.count;
  if (count == 0 || count != std::min<uint64_t>(left, kBlockPostings)) {
    return BrokenStream(terms, "a block does not have the postings that df says");
  }
  // Simple loops, which the compiler turns into vector instructions.
  bool sound = postings_before_ == 0 || block_.docids[0] > last_doc_;
  uint32_t bad = 0;
  for (uint32_t i = 1; i < count; ++i) bad |= block_.docids[i] <= block_.docids[i - 1] ? 1u : 0u;
  uint64_t block_freqs = 0;
  greatest_freq_ = 0;
  for (uint32_t i = 0; i < count; ++i) {
    bad |= block_.freqs[i] == 0 ? 1u : 0u;
    block_freqs += block_.freqs[i];
    greatest_freq_ = std::max(greatest_freq_, block_.freqs[i]);
  }
  last_doc_ = block_.docids[count - 1];
  freq_sum_ += block_freqs;
  sound = sound && bad == 0 && last_doc_ < doc_count_;
  if (!sound) return BrokenStream(terms, "docids or frequencies are bad");
  return has_positions_ ? CheckPositions(terms, block_freqs) : absl::OkStatus();
}

absl::Status CheckedList::CheckPositions(const TermStream& terms, uint64_t block_freqs) {
  const BlockPositions& positions = block_.positions;
  if (positions.size() != block_freqs) {
    return BrokenStream(terms, "there are not as many positions as frequencies say");
  }
  const bool ascend = positions.is_wide() ? PositionsAscend(positions.wide())
                                          : PositionsAscend(positions.entries());
  if (!ascend) return BrokenStream(terms, "positions do not ascend");
  if (!positions.is_wide() && greatest_position_ >= kPositionPage) {
    return BrokenStream(terms, "a page mark among positions");
  }
  return absl::OkStatus();
}

// Also finds the greatest position. Requires that there is one.
template <typename Position>
bool CheckedList::PositionsAscend(std::span<const Position> positions) {
  // Positions may descend where a posting begins, and nowhere else.
  uint32_t descents = 0;
  Position greatest = positions[0];
  for (size_t i = 1; i < positions.size(); ++i) {
    descents += positions[i] <= positions[i - 1] ? 1 : 0;
    greatest = std::max(greatest, positions[i]);
  }
  greatest_position_ = greatest;
  size_t begin = 0;
  for (uint32_t i = 0; i + 1 < block_.count; ++i) {
    begin += block_.freqs[i];
    descents -= positions[begin] <= positions[begin - 1] ? 1 : 0;
  }
  return descents == 0;
}

bool CheckedList::FillInline(std::span<const uint8_t> norms, DictionaryEntry& entry) const {
  // A position behind the first page has a page mark before it, and its posting escapes.
  if (block_.count > kMaxInlinePostings || greatest_freq_ >= kFreqEscape ||
      (has_positions_ && greatest_position_ >= kPositionPage)) {
    return false;
  }
  entry.df = block_.count;
  entry.cf = freq_sum_;
  entry.representation = Representation::kInline;
  InlinePostings& inlined = entry.inlined;
  inlined = {};
  for (uint32_t i = 0; i < block_.count; ++i) {
    inlined.docids[i] = block_.docids[i];
    inlined.freqs[i] = static_cast<uint8_t>(block_.freqs[i]);
    inlined.codes[i] = norms[block_.docids[i]];
  }
  if (has_positions_ && freq_sum_ <= kMaxInlinePositions) {
    entry.representation = Representation::kInlineWithPositions;
    for (size_t i = 0; i < block_.positions.size(); ++i) {
      inlined.positions[i] = static_cast<uint16_t>(block_.positions[i]);
    }
  }
  return true;
}

}  // namespace pmdex
