#include "engine/segment/postings/posting_writer.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status TooMany(const TermStream& terms, std::string_view what) {
  return InvalidArgument(absl::StrCat("field ", terms.field(), ", term \"", ToAbsl(terms.term()),
                                      "\": too many ", ToAbsl(what), " for one segment"));
}

}  // namespace

uint64_t PostingWriter::EstimateMemory(const WriterCounts& counts) {
  constexpr uint64_t kVectorGrowth = 3;  // of a vector that doubles: old and new memory
  constexpr uint64_t kBlockBytes = sizeof(DocId) + sizeof(BoundPoints);
  // A list of more than a block's postings has at most twice as many blocks as fit, and one element
  // before them.
  const uint64_t blocks = counts.postings * 3 / kBlockPostings * kBlockBytes;
  // The longest list has a posting in every document.
  const uint64_t lanes = counts.docs * 2 * sizeof(uint8_t);
  const uint64_t groups =
      counts.has_positions ? counts.docs * kVectorGrowth * sizeof(uint32_t) / kPositionGroup : 0;
  // Each posting has an entry, and its list may have one that counts its entries. If there are
  // positions behind the first page, the plan has counted the entries and they are reserved at
  // once. Otherwise run_ and overflow_ grow.
  const uint64_t overflow =
      counts.FarPostings() * 2 * sizeof(OverflowEntry) +
      counts.FrequentPostings() * (kVectorGrowth + 2 * kVectorGrowth) * sizeof(OverflowEntry);
  return blocks + lanes + BitsetBuilder::EstimateMemory(counts.docs) + groups + overflow;
}

PostingWriter::PostingWriter(SectionStream& postings, SectionStream* positions, uint32_t doc_count,
                             uint64_t block_count, uint32_t longest_list)
    : postings_(postings),
      positions_(positions),
      doc_count_(doc_count),
      list_(doc_count, positions != nullptr) {
  block_last_docs_.reserve(block_count);
  block_bounds_.reserve(block_count);
  freqs_.reserve(longest_list);
  codes_.reserve(longest_list);
}

absl::Status PostingWriter::WriteList(TermStream& terms, std::span<const uint8_t> norms,
                                      DictionaryEntry& entry) {
  entry.df = terms.df();
  entry.cf = terms.cf();
  PMDEX_RETURN_IF_ERROR(list_.ReadFirst(terms));
  if (positions_ != nullptr) EncodePositions();
  if (entry.df > kMaxInlinePostings || !FillInline(entry, norms)) {
    PMDEX_RETURN_IF_ERROR(WriteLanes(terms, norms, entry));
  }
  return list_.Finish(terms);
}

void PostingWriter::EncodePositions() {
  if (!block().positions.is_wide()) {  // nearly always: one entry each
    entries_ = block().positions.entries();
    entry_counts_ = block().freqs;
    return;
  }
  encoded_.clear();
  const uint32_t* at = block().positions.wide().data();
  for (uint32_t i = 0; i < block().count; ++i) {
    encoded_counts_[i] = EncodePosting({at, block().freqs[i]});
    at += block().freqs[i];
  }
  entries_ = encoded_;
  entry_counts_ = encoded_counts_;
}

uint32_t PostingWriter::EncodePosting(std::span<const uint32_t> positions) {
  const size_t before = encoded_.size();
  uint64_t page_start = 0;
  for (const uint32_t position : positions) {
    for (; position - page_start >= kPositionPage; page_start += kPositionPage) {
      encoded_.push_back(kPositionPageMark);
    }
    encoded_.push_back(static_cast<uint16_t>(position - page_start));
  }
  return static_cast<uint32_t>(encoded_.size() - before);
}

bool PostingWriter::FillInline(DictionaryEntry& entry, std::span<const uint8_t> norms) {
  if (!list_.FillInline(norms, entry)) return false;
  if (positions_ == nullptr || entry.representation == Representation::kInlineWithPositions) {
    return true;
  }
  entry.inlined.position_start = positions_->size_bytes() / sizeof(uint16_t);
  positions_->AppendArray(entries_);
  return true;
}

absl::Status PostingWriter::WriteLanes(TermStream& terms, std::span<const uint8_t> norms,
                                       DictionaryEntry& entry) {
  const bool has_blocks = entry.df > kBlockPostings;
  postings_.PadTo(AlignUp(postings_.size_bytes(), ExtentAlignment(entry.df)));
  const uint64_t start = postings_.size_bytes();
  position_entries_ = 0;
  freqs_.resize(entry.df);
  codes_.resize(entry.df);
  groups_.clear();
  run_.clear();
  list_bound_.Clear();
  is_bitset_ = IsBitset(entry.df, doc_count_);
  if (is_bitset_) bitset_.Start(doc_count_);
  entry.representation = is_bitset_ ? Representation::kBitset : Representation::kLanes;
  entry.lanes = {};
  entry.lanes.postings_offset = start;
  entry.lanes.position_start =
      positions_ == nullptr ? 0 : positions_->size_bytes() / sizeof(uint16_t);
  if (has_blocks && block_last_docs_.size() >= kNoBlocks - entry.df / kBlockPostings - 2) {
    return TooMany(terms, "blocks");
  }
  if (has_blocks) {
    block_last_docs_.push_back(0);
    block_bounds_.push_back({});  // for the best points
  }
  entry.lanes.block_start = has_blocks ? static_cast<uint32_t>(block_last_docs_.size()) : kNoBlocks;
  AddBlock(norms, has_blocks);  // WriteList has read and encoded the first one
  while (list_.has_more(entry.df)) {
    PMDEX_RETURN_IF_ERROR(list_.ReadNext(terms));
    if (positions_ != nullptr) EncodePositions();
    AddBlock(norms, has_blocks);
    if (position_entries_ > 0xffffffff) return TooMany(terms, "positions");
  }
  if (position_entries_ > 0xffffffff) return TooMany(terms, "positions");
  entry.lanes.bounds = list_bound_.Points();
  if (has_blocks) {
    block_bounds_[entry.lanes.block_start - 1] = std::bit_cast<BoundPoints>(best_points_.Take());
  }
  if (!FinishRun(entry).ok()) return TooMany(terms, "large frequencies");
  AppendLanes(entry);
  return absl::OkStatus();
}

// Writes the parts that could not be written before the last posting was known.
void PostingWriter::AppendLanes(const DictionaryEntry& entry) {
  const bool unit_freqs = HasUnitFreqs(entry.df, entry.cf, entry.lanes.overflow_start);
  const PostingExtent extent =
      LayOutPostings(entry.df, unit_freqs, doc_count_, positions_ != nullptr);
  const uint64_t start = entry.lanes.postings_offset;
  if (is_bitset_) {
    postings_.AppendArray(bitset_.words());
    postings_.AppendArray(bitset_.FinishRanks());
  }
  postings_.PadTo(start + extent.freqs_offset);
  if (unit_freqs) {
    longest_unit_list_ = std::max(longest_unit_list_, entry.df);
  } else {
    postings_.AppendArray(std::span<const uint8_t>(freqs_));
  }
  postings_.PadTo(start + extent.codes_offset);
  postings_.AppendArray(std::span<const uint8_t>(codes_));
  postings_.PadTo(start + extent.groups_offset);
  postings_.AppendArray(std::span<const uint32_t>(groups_));
  postings_.PadTo(start + extent.size_bytes);
}

void PostingWriter::AddBlock(std::span<const uint8_t> norms, bool has_blocks) {
  const PostingBlock& block = list_.block();
  const uint32_t count = block.count;
  const uint64_t seen = list_.postings_before();
  if (is_bitset_) {
    bitset_.Add({block.docids, count});
  } else {
    postings_.AppendArray(std::span<const uint32_t>(block.docids, count));
  }
  uint8_t* const freqs = freqs_.data() + seen;
  uint8_t* const codes = codes_.data() + seen;
  for (uint32_t i = 0; i < count; ++i) codes[i] = norms[block.docids[i]];
  block_bound_.Clear();
  if (list_.greatest_freq() == 1) {
    std::fill_n(freqs, count, uint8_t{1});
    block_bound_.Add(1, *std::min_element(codes, codes + count));
    if (has_blocks) best_points_.AddUnit(codes, count);
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      freqs[i] = static_cast<uint8_t>(std::min<uint32_t>(block.freqs[i], kFreqEscape));
      block_bound_.Add(block.freqs[i], codes[i]);
    }
    if (has_blocks) best_points_.Add(freqs, codes, count);
  }
  list_bound_.Add(block_bound_);
  if (has_blocks) {
    block_last_docs_.push_back(list_.last_doc());
    block_bounds_.push_back(block_bound_.Points());
  }
  if (positions_ != nullptr) AddPositions();
  if (list_.greatest_freq() >= kFreqEscape ||
      (positions_ != nullptr && entries_.size() != block.positions.size())) {
    AddOverflow(freqs);
  }
}

void PostingWriter::AddPositions() {
  const uint64_t seen = list_.postings_before();
  for (uint32_t i = 0; i < block().count; ++i) {
    if ((seen + i) % kPositionGroup == 0 && seen + i > 0) {
      groups_.push_back(static_cast<uint32_t>(position_entries_));
    }
    position_entries_ += entry_counts_[i];
  }
  positions_->AppendArray(entries_);
}

// Adds overflow entries for the postings of the block that need one.
void PostingWriter::AddOverflow(uint8_t* freqs) {
  for (uint32_t i = 0; i < block().count; ++i) {
    const uint32_t freq = block().freqs[i];
    const uint64_t entries = positions_ == nullptr ? 0 : entry_counts_[i];
    if (freq < kFreqEscape && (positions_ == nullptr || entries == freq)) continue;
    freqs[i] = kFreqEscape;
    run_.push_back(
        {static_cast<uint32_t>(list_.postings_before() + i), freq, static_cast<uint32_t>(entries)});
  }
}

absl::Status PostingWriter::FinishRun(DictionaryEntry& entry) {
  entry.lanes.overflow_start = kNoOverflow;
  if (run_.empty()) return absl::OkStatus();
  if (overflow_.size() + run_.size() >= kNoOverflow) return InvalidArgument("overflow entries");
  entry.lanes.overflow_start = static_cast<uint32_t>(overflow_.size());
  overflow_.push_back({static_cast<uint32_t>(run_.size()), 0, 0});
  overflow_.insert(overflow_.end(), run_.begin(), run_.end());
  return absl::OkStatus();
}

}  // namespace pmdex
