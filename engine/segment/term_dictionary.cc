#include "engine/segment/term_dictionary.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "engine/analysis/analyzer.h"
#include "engine/segment/term_key.h"

namespace pmdex {
namespace {

constexpr uint64_t kSlotsPerPage = kPageBytes / sizeof(TermSlot);
constexpr size_t kTermHeadBytes = 2;  // bytes shared, bytes that follow

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

absl::StatusOr<TermDictionary> TermDictionary::Open(const SegmentView& view,
                                                    const SegmentMeta& meta,
                                                    std::span<const FieldEntry> fields) {
  TermDictionary dictionary;
  const uint64_t slot_bytes = view.RawSection(SectionKind::kTermSlots).size();
  const uint64_t start_bytes = view.RawSection(SectionKind::kTermBlockStarts).size();
  if (meta.slot_home_count == 0 || slot_bytes % sizeof(TermSlot) != 0 ||
      slot_bytes / sizeof(TermSlot) <= meta.slot_home_count) {
    return view.Damage(SectionKind::kTermSlots, slot_bytes, "not the size that the meta says");
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
  dictionary.slots_ = view.RawArray<TermSlot>(SectionKind::kTermSlots);
  dictionary.fields_ = fields;
  dictionary.hash_seed_ = meta.hash_seed;
  dictionary.slot_home_count_ = meta.slot_home_count;
  return dictionary;
}

absl::StatusOr<const TermSlot*> TermDictionary::Find(FieldId field, std::string_view term) const {
  if (term.empty() || term.size() > kMaxTokenBytes || slots_.empty()) return nullptr;
  const uint64_t term_hash = HashTermBytes(hash_seed_, term);
  const uint64_t home = HomeSlot(MixField(term_hash, field), slot_home_count_);
  const TermKey key(term, term_hash);
  for (uint64_t at = home; at < slots_.size(); ++at) {
    const TermSlot& slot = slots_[at];
    if (at == home || at % kSlotsPerPage == 0) {
      PMDEX_RETURN_IF_ERROR(
          view_->Verify(SectionKind::kTermSlots, at * sizeof(TermSlot), sizeof(TermSlot)));
    }
    if (slot.representation == Representation::kEmpty) return nullptr;
    if (slot.field != field || slot.term_bytes != term.size() || !key.Matches(slot)) continue;
    if (term.size() <= kInlineTermBytes) return &slot;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view bytes, Term(slot));
    if (bytes == term) return &slot;
  }
  return nullptr;
}

absl::StatusOr<std::string_view> TermDictionary::Term(const TermSlot& slot) const {
  if (slot.representation == Representation::kEmpty) return std::string_view();
  if (slot.term_bytes <= kInlineTermBytes) {
    return std::string_view(reinterpret_cast<const char*>(slot.key), slot.term_bytes);
  }
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, view_->Slice(SectionKind::kTermBytes,
                                                        LongTermOffset(slot), slot.term_bytes));
  return AsText(bytes);
}

TermIterator::TermIterator(const TermDictionary& dictionary, FieldId field)
    : dictionary_(&dictionary) {
  if (field >= dictionary.fields_.size()) return;
  first_block_ = dictionary.fields_[field].first_term_block;
  block_count_ = dictionary.fields_[field].term_block_count;
}

// The bytes of a block, verified; none and status_ set when they lie outside or are damaged.
bool TermIterator::LoadBlock(uint64_t block) {
  block_ = block;
  term_.clear();
  rest_ = {};
  const SegmentView& view = *dictionary_->view_;
  const auto starts = view.Array<uint64_t>(SectionKind::kTermBlockStarts, first_block_ + block, 2);
  if (!starts.ok()) {
    status_ = starts.status();
    return false;
  }
  const uint64_t begin = (*starts)[0];
  const uint64_t end = (*starts)[1];
  if (begin >= end) {
    status_ = view.Damage(SectionKind::kTermBlockStarts, (first_block_ + block) * sizeof(uint64_t),
                          "the starts do not ascend");
    return false;
  }
  const auto bytes = view.Slice(SectionKind::kTermBlocks, begin, end - begin);
  if (!bytes.ok()) {
    status_ = bytes.status();
    return false;
  }
  rest_ = *bytes;
  return true;
}

// The next term of the block. Requires bytes left.
bool TermIterator::DecodeNext() {
  size_t shared = 0;
  size_t suffix = 0;
  if (rest_.size() >= kTermHeadBytes) {
    shared = std::to_integer<size_t>(rest_[0]);
    suffix = std::to_integer<size_t>(rest_[1]);
  }
  uint32_t slot = 0;
  const bool sound = rest_.size() >= kTermHeadBytes + suffix + sizeof(slot) && suffix > 0 &&
                     shared <= term_.size() && shared + suffix <= kMaxTokenBytes;
  if (sound) {
    std::memcpy(&slot, rest_.data() + kTermHeadBytes + suffix, sizeof(slot));
  }
  if (!sound || slot >= dictionary_->slots_.size()) {
    status_ = dictionary_->view_->Damage(
        SectionKind::kTermBlocks, 0,
        absl::StrCat("a term of block ", first_block_ + block_, " makes no sense"));
    rest_ = {};
    return false;
  }
  term_.resize(shared);
  term_.append(AsText(rest_.subspan(kTermHeadBytes, suffix)));
  slot_ = slot;
  rest_ = rest_.subspan(kTermHeadBytes + suffix + sizeof(slot));
  return true;
}

absl::StatusOr<const TermSlot*> TermIterator::slot() const {
  PMDEX_RETURN_IF_ERROR(dictionary_->view_->Verify(SectionKind::kTermSlots,
                                                   slot_ * sizeof(TermSlot), sizeof(TermSlot)));
  return &dictionary_->slots_[slot_];
}

bool TermIterator::Next() {
  if (!started_) {
    started_ = true;
    if (block_count_ == 0) return false;
    return LoadBlock(0) && DecodeNext();
  }
  if (rest_.empty()) {
    if (!status_.ok() || block_ + 1 >= block_count_) {
      block_ = block_count_;
      return false;
    }
    if (!LoadBlock(block_ + 1)) return false;
  }
  return DecodeNext();
}

bool TermIterator::Seek(std::string_view target) {
  started_ = true;
  rest_ = {};
  if (!status_.ok()) return false;
  uint64_t low = 0;  // the last block whose head is <= target, or the first
  uint64_t high = block_count_;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (!LoadBlock(middle) || !DecodeNext()) return false;
    (std::string_view(term_) <= target ? low : high) = middle;
  }
  if (block_count_ == 0 || !LoadBlock(low)) return false;
  do {
    if (rest_.empty() && (block_ + 1 >= block_count_ || !LoadBlock(block_ + 1))) {
      block_ = block_count_;
      return false;
    }
    if (!DecodeNext()) return false;
  } while (std::string_view(term_) < target);
  return true;
}

}  // namespace pmdex
