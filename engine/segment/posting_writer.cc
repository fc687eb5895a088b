#include "engine/segment/posting_writer.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status BrokenStream(const TermStream& terms, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    absl::StrCat("term stream, field ", terms.field(), ", term \"",
                                 ToAbsl(terms.term()), "\": ", ToAbsl(what)));
}

absl::Status TooMany(const TermStream& terms, std::string_view what) {
  return InvalidArgument(absl::StrCat("field ", terms.field(), ", term \"", ToAbsl(terms.term()),
                                      "\": too many ", ToAbsl(what), " for one segment"));
}

}  // namespace

PostingWriter::PostingWriter(SectionStream& postings, SectionStream* positions, uint32_t doc_count,
                             uint64_t block_count)
    : postings_(postings), positions_(positions), doc_count_(doc_count) {
  block_last_docs_.reserve(block_count);
  block_bounds_.reserve(block_count);
}

absl::Status PostingWriter::CheckBlock(const TermStream& terms) {
  const uint64_t left = terms.df() - seen_;
  const uint32_t count = block_.count;
  if (count == 0 || count != std::min<uint64_t>(left, kBlockPostings)) {
    return BrokenStream(terms, "a block does not have the postings that df says");
  }
  // Simple loops, which the compiler turns into vector instructions.
  bool sound = seen_ == 0 || block_.docids[0] > last_doc_;
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
  return positions_ == nullptr ? absl::OkStatus() : CheckPositions(terms, block_freqs);
}

absl::Status PostingWriter::CheckPositions(const TermStream& terms, uint64_t block_freqs) {
  const std::span<const uint32_t> positions = block_.positions;
  if (positions.size() != block_freqs) {
    return BrokenStream(terms, "there are not as many positions as frequencies say");
  }
  // Positions may descend where a posting begins, and nowhere else.
  uint32_t descents = 0;
  greatest_position_ = positions[0];
  for (size_t i = 1; i < positions.size(); ++i) {
    descents += positions[i] <= positions[i - 1] ? 1 : 0;
    greatest_position_ = std::max(greatest_position_, positions[i]);
  }
  size_t begin = 0;
  for (uint32_t i = 0; i + 1 < block_.count; ++i) {
    begin += block_.freqs[i];
    descents -= positions[begin] <= positions[begin - 1] ? 1 : 0;
  }
  return descents == 0 ? absl::OkStatus() : BrokenStream(terms, "positions do not ascend");
}

absl::Status PostingWriter::WriteList(TermStream& terms, std::span<const uint8_t> norms,
                                      TermSlot& slot) {
  seen_ = 0;
  freq_sum_ = 0;
  slot.df = terms.df();
  slot.cf = terms.cf();
  if (slot.df == 0 || slot.df > doc_count_) return BrokenStream(terms, "df makes no sense");
  if (!terms.NextBlock(block_)) return BrokenStream(terms, "no postings");
  PMDEX_RETURN_IF_ERROR(CheckBlock(terms));
  if (positions_ != nullptr) EncodePositions();
  if (slot.df > kMaxInlinePostings || !FillInline(slot, norms)) {
    PMDEX_RETURN_IF_ERROR(WriteLanes(terms, norms, slot));
  }
  if (freq_sum_ != slot.cf) return BrokenStream(terms, "cf is not the sum of the frequencies");
  if (terms.NextBlock(block_)) return BrokenStream(terms, "more postings than df says");
  return absl::OkStatus();
}

void PostingWriter::EncodePositions() {
  if (greatest_position_ < kPositionPage) {  // nearly always: one entry each
    const std::span<const uint32_t> positions = block_.positions;
    entries_.resize(positions.size());
    uint16_t* const entries = entries_.data();
    for (size_t i = 0; i < positions.size(); ++i) entries[i] = static_cast<uint16_t>(positions[i]);
    std::copy_n(block_.freqs, block_.count, entry_counts_);
    return;
  }
  entries_.clear();
  const uint32_t* at = block_.positions.data();
  for (uint32_t i = 0; i < block_.count; ++i) {
    entry_counts_[i] = EncodePosting({at, block_.freqs[i]});
    at += block_.freqs[i];
  }
}

uint32_t PostingWriter::EncodePosting(std::span<const uint32_t> positions) {
  const size_t before = entries_.size();
  uint64_t page_start = 0;
  for (const uint32_t position : positions) {
    for (; position - page_start >= kPositionPage; page_start += kPositionPage) {
      entries_.push_back(kPositionPageMark);
    }
    entries_.push_back(static_cast<uint16_t>(position - page_start));
  }
  return static_cast<uint32_t>(entries_.size() - before);
}

bool PostingWriter::FillInline(TermSlot& slot, std::span<const uint8_t> norms) {
  for (uint32_t i = 0; i < block_.count; ++i) {
    if (block_.freqs[i] >= kFreqEscape) return false;
    if (positions_ != nullptr && entry_counts_[i] != block_.freqs[i]) return false;
  }
  slot.representation = Representation::kInline;
  InlinePostings& inlined = slot.inlined;
  inlined = {};
  for (uint32_t i = 0; i < block_.count; ++i) {
    inlined.docids[i] = block_.docids[i];
    inlined.freqs[i] = static_cast<uint8_t>(block_.freqs[i]);
    inlined.codes[i] = norms[block_.docids[i]];
  }
  if (positions_ == nullptr) return true;
  if (entries_.size() <= kMaxInlinePositions) {
    slot.representation = Representation::kInlineWithPositions;
    std::memcpy(inlined.positions, entries_.data(), entries_.size() * sizeof(entries_[0]));
  } else {
    inlined.position_start = positions_->size_bytes() / sizeof(uint16_t);
    positions_->AppendArray(std::span<const uint16_t>(entries_));
  }
  return true;
}

absl::Status PostingWriter::WriteLanes(TermStream& terms, std::span<const uint8_t> norms,
                                       TermSlot& slot) {
  const PostingExtent extent = LayOutPostings(slot.df, doc_count_, positions_ != nullptr);
  const bool has_blocks = slot.df > kBlockPostings;
  postings_.PadTo(AlignUp(postings_.size_bytes(), ExtentAlignment(slot.df)));
  const uint64_t start = postings_.size_bytes();
  position_entries_ = 0;
  freqs_.resize(slot.df);
  codes_.resize(slot.df);
  groups_.clear();
  run_.clear();
  list_bound_.Clear();
  is_bitset_ = extent.ranks_offset != 0;
  if (is_bitset_) bitset_.Start(doc_count_);
  slot.representation = is_bitset_ ? Representation::kBitset : Representation::kLanes;
  slot.lanes = {};
  slot.lanes.postings_offset = start;
  slot.lanes.position_start =
      positions_ == nullptr ? 0 : positions_->size_bytes() / sizeof(uint16_t);
  if (has_blocks && block_last_docs_.size() >= kNoBlocks - slot.df / kBlockPostings - 1) {
    return TooMany(terms, "blocks");
  }
  slot.lanes.block_start = has_blocks ? static_cast<uint32_t>(block_last_docs_.size()) : kNoBlocks;
  AddBlock(norms, has_blocks);  // WriteList has read and encoded the first one
  while (seen_ < slot.df) {
    if (!terms.NextBlock(block_)) return BrokenStream(terms, "fewer postings than df says");
    PMDEX_RETURN_IF_ERROR(CheckBlock(terms));
    if (positions_ != nullptr) EncodePositions();
    AddBlock(norms, has_blocks);
    if (position_entries_ > 0xffffffff) return TooMany(terms, "positions");
  }
  if (position_entries_ > 0xffffffff) return TooMany(terms, "positions");
  AppendLanes(start, extent);
  slot.lanes.bounds = list_bound_.Points();
  if (!FinishRun(slot).ok()) return TooMany(terms, "large frequencies");
  return absl::OkStatus();
}

// What waited for the last posting: bits and ranks stand before the narrow lanes.
void PostingWriter::AppendLanes(uint64_t start, const PostingExtent& extent) {
  if (is_bitset_) {
    postings_.AppendArray(bitset_.words());
    postings_.AppendArray(bitset_.FinishRanks());
  }
  postings_.PadTo(start + extent.freqs_offset);
  postings_.AppendArray(std::span<const uint8_t>(freqs_));
  postings_.PadTo(start + extent.codes_offset);
  postings_.AppendArray(std::span<const uint8_t>(codes_));
  postings_.PadTo(start + extent.groups_offset);
  postings_.AppendArray(std::span<const uint32_t>(groups_));
  postings_.PadTo(start + extent.size_bytes);
}

void PostingWriter::AddBlock(std::span<const uint8_t> norms, bool has_blocks) {
  const uint32_t count = block_.count;
  if (is_bitset_) {
    bitset_.Add({block_.docids, count});
  } else {
    postings_.AppendArray(std::span<const uint32_t>(block_.docids, count));
  }
  uint8_t* const freqs = freqs_.data() + seen_;
  uint8_t* const codes = codes_.data() + seen_;
  for (uint32_t i = 0; i < count; ++i) codes[i] = norms[block_.docids[i]];
  block_bound_.Clear();
  if (greatest_freq_ == 1) {
    std::fill_n(freqs, count, uint8_t{1});
    block_bound_.Add(1, *std::min_element(codes, codes + count));
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      freqs[i] = static_cast<uint8_t>(std::min<uint32_t>(block_.freqs[i], kFreqEscape));
      block_bound_.Add(block_.freqs[i], codes[i]);
    }
  }
  list_bound_.Add(block_bound_);
  if (has_blocks) {
    block_last_docs_.push_back(last_doc_);
    block_bounds_.push_back(block_bound_.Points());
  }
  if (positions_ != nullptr) AddPositions();
  if (greatest_freq_ >= kFreqEscape ||
      (positions_ != nullptr && entries_.size() != block_.positions.size())) {
    AddOverflow(freqs);
  }
  seen_ += count;
}

void PostingWriter::AddPositions() {
  for (uint32_t i = 0; i < block_.count; ++i) {
    if ((seen_ + i) % kPositionGroup == 0 && seen_ + i > 0) {
      groups_.push_back(static_cast<uint32_t>(position_entries_));
    }
    position_entries_ += entry_counts_[i];
  }
  positions_->AppendArray(std::span<const uint16_t>(entries_));
}

// What of the block the lanes have no room for.
void PostingWriter::AddOverflow(uint8_t* freqs) {
  for (uint32_t i = 0; i < block_.count; ++i) {
    const uint32_t freq = block_.freqs[i];
    const uint64_t entries = positions_ == nullptr ? 0 : entry_counts_[i];
    if (freq < kFreqEscape && (positions_ == nullptr || entries == freq)) continue;
    freqs[i] = kFreqEscape;
    run_.push_back({static_cast<uint32_t>(seen_ + i), freq, static_cast<uint32_t>(entries)});
  }
}

absl::Status PostingWriter::FinishRun(TermSlot& slot) {
  slot.lanes.overflow_start = kNoOverflow;
  if (run_.empty()) return absl::OkStatus();
  if (overflow_.size() + run_.size() >= kNoOverflow) return InvalidArgument("overflow entries");
  slot.lanes.overflow_start = static_cast<uint32_t>(overflow_.size());
  overflow_.push_back({static_cast<uint32_t>(run_.size()), 0, 0});
  overflow_.insert(overflow_.end(), run_.begin(), run_.end());
  return absl::OkStatus();
}

}  // namespace pmdex
