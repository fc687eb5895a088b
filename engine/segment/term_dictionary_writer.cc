#include "engine/segment/term_dictionary_writer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

#include "engine/segment/radix_sort.h"
#include "engine/segment/term_key.h"

namespace pmdex {
namespace {

// Slot numbers are 32 bits; at kSlotLoad this many terms leave room for the last cluster.
constexpr uint64_t kMaxTerms = uint64_t{1} << 31;

absl::Status BrokenStream(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal, absl::StrCat("term stream: ", std::string(what)));
}

}  // namespace

TermDictionaryWriter::Coding TermDictionaryWriter::NextCoding(FieldId field,
                                                              std::string_view term) {
  Coding coding;
  coding.starts_block =
      last_term_.empty() || field != last_field_ || terms_in_block_ == kTermsPerBlock;
  if (coding.starts_block) {
    terms_in_block_ = 0;
  } else {
    const auto [left, right] =
        std::mismatch(last_term_.begin(), last_term_.end(), term.begin(), term.end());
    coding.shared = static_cast<uint8_t>(left - last_term_.begin());
  }
  ++terms_in_block_;
  last_field_ = field;
  last_term_.assign(term);
  return coding;
}

void TermDictionaryWriter::RestartCoding() {
  last_term_.clear();
  terms_in_block_ = 0;
}

absl::Status TermDictionaryWriter::AddTerm(const TermStream& terms) {
  const std::string_view term = terms.term();
  const FieldId field = terms.field();
  if (field >= fields_.size() || term.empty() || term.size() > kMaxTokenBytes) {
    return BrokenStream("not a term of the segment's fields");
  }
  if (!last_term_.empty() &&
      (field < last_field_ || (field == last_field_ && term <= std::string_view(last_term_)))) {
    return BrokenStream("terms are not in order");
  }
  if (term_count_ == kMaxTerms) return InvalidArgument("too many terms for one segment");
  const Coding coding = NextCoding(field, term);
  FieldTerms& statistics = fields_[field];
  if (coding.starts_block) {
    if (statistics.block_count++ == 0) {
      statistics.first_block = static_cast<uint32_t>(block_count_);
    }
    ++block_count_;
  }
  block_bytes_ += 2 + (term.size() - coding.shared) + sizeof(uint32_t);
  if (term.size() > kInlineTermBytes) long_term_bytes_ += term.size();
  ++statistics.term_count;
  statistics.posting_count += terms.df();
  hashes_.push_back(
      {MixField(HashTermBytes(hash_seed_, term), field), static_cast<uint32_t>(term_count_)});
  ++term_count_;
  return absl::OkStatus();
}

absl::Status TermDictionaryWriter::AssignSlots() {
  RestartCoding();
  slot_home_count_ =
      static_cast<uint32_t>(std::max(1.0, std::ceil(static_cast<double>(term_count_) / kSlotLoad)));
  // Homes rise with the upper half of the hash: in this order each term's slot is its home or the
  // first one that the terms before it left free. Terms of one hash keep their order, so that files
  // are reproducible.
  RadixSort(hashes_, [](const HashedTerm& hashed) { return hashed.hash; });
  slot_numbers_.resize(term_count_);
  uint64_t next_free = 0;
  for (const HashedTerm& hashed : hashes_) {
    const uint64_t number = std::max(next_free, HomeSlot(hashed.hash, slot_home_count_));
    if (number >= 0xffffffff) return InvalidArgument("too many terms for one segment");
    slot_numbers_[hashed.term] = static_cast<uint32_t>(number);
    next_free = number + 1;
  }
  hashes_ = std::vector<HashedTerm>();
  slots_.resize(std::max<uint64_t>(slot_home_count_, next_free) + 1);
  block_starts_.reserve(block_count_ + 1);
  return absl::OkStatus();
}

absl::StatusOr<TermSlot*> TermDictionaryWriter::FillKey(const TermStream& terms) {
  const std::string_view term = terms.term();
  if (filled_terms_ == term_count_ || term.empty() || term.size() > kMaxTokenBytes ||
      terms.field() >= fields_.size()) {
    return BrokenStream("the second pass differs from the first");
  }
  TermSlot& slot = slots_[slot_numbers_[filled_terms_++]];
  const uint64_t hash = HashTermBytes(hash_seed_, term);
  TermKey(term, hash).Store(filled_long_bytes_, slot);
  if (term.size() > kInlineTermBytes) filled_long_bytes_ += term.size();
  slot.field = terms.field();
  slot.term_bytes = static_cast<uint8_t>(term.size());
  return &slot;
}

absl::Status TermDictionaryWriter::WriteTerms(TermStream& terms, SectionStream& term_bytes,
                                              SectionStream& blocks) {
  uint64_t written = 0;
  RestartCoding();
  for (; terms.Next(); ++written) {
    if (written == term_count_) return BrokenStream("the third pass has more terms");
    const std::string_view term = terms.term();
    const Coding coding = NextCoding(terms.field(), term);
    if (coding.starts_block) block_starts_.push_back(blocks.size_bytes());
    const std::string_view suffix = term.substr(coding.shared);
    const uint8_t head[2] = {coding.shared, static_cast<uint8_t>(suffix.size())};
    blocks.AppendArray(std::span<const uint8_t>(head));
    blocks.AppendArray(std::span<const char>(suffix));
    blocks.AppendValue(slot_numbers_[written]);
    if (term.size() > kInlineTermBytes) term_bytes.AppendArray(std::span<const char>(term));
  }
  block_starts_.push_back(blocks.size_bytes());
  if (written != term_count_ || blocks.size_bytes() != block_bytes_ ||
      term_bytes.size_bytes() != long_term_bytes_ || filled_long_bytes_ != long_term_bytes_) {
    return BrokenStream("the third pass differs from the first");
  }
  return absl::OkStatus();
}

void TermDictionaryWriter::WriteSlots(SectionStream& slots) const {
  slots.AppendArray(std::span<const TermSlot>(slots_));
}

void TermDictionaryWriter::WriteBlockStarts(SectionStream& block_starts) const {
  block_starts.AppendArray(std::span<const uint64_t>(block_starts_));
}

}  // namespace pmdex
