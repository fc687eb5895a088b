#include "engine/segment/term_dictionary.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "engine/analysis/analyzer.h"
#include "engine/segment/term_key.h"

namespace pmdex {
namespace {

constexpr size_t kTermHeadBytes = 2;  // bytes shared, bytes that follow

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::Status DictionaryDamage(std::string_view what) {
  return DataLoss(absl::StrCat("term dictionary: ", std::string(what)));
}

}  // namespace

absl::StatusOr<TermDictionary> TermDictionary::Open(const SegmentView& view,
                                                    const SegmentMeta& meta,
                                                    std::span<const FieldEntry> fields) {
  TermDictionary dictionary;
  const std::span<const std::byte> slots = view.Section(SectionKind::kTermSlots);
  const std::span<const std::byte> starts = view.Section(SectionKind::kTermBlockStarts);
  if (meta.slot_home_count == 0 || slots.size() % sizeof(TermSlot) != 0 ||
      slots.size() / sizeof(TermSlot) <= meta.slot_home_count) {
    return view.Damage(SectionKind::kTermSlots, slots.size(), "not the size that the meta says");
  }
  if (starts.size() % sizeof(uint64_t) != 0 || starts.empty()) {
    return view.Damage(SectionKind::kTermBlockStarts, starts.size(), "no whole numbers");
  }
  PMDEX_ASSIGN_OR_RETURN(dictionary.slots_, view.Array<TermSlot>(SectionKind::kTermSlots, 0,
                                                                 slots.size() / sizeof(TermSlot)));
  PMDEX_ASSIGN_OR_RETURN(
      dictionary.block_starts_,
      view.Array<uint64_t>(SectionKind::kTermBlockStarts, 0, starts.size() / sizeof(uint64_t)));
  const uint64_t block_count = dictionary.block_starts_.size() - 1;
  for (const FieldEntry& field : fields) {
    if (field.first_term_block > block_count ||
        field.term_block_count > block_count - field.first_term_block) {
      return view.Damage(SectionKind::kMeta, 0, "a field's term blocks do not exist");
    }
  }
  dictionary.term_bytes_ = view.Section(SectionKind::kTermBytes);
  dictionary.blocks_ = view.Section(SectionKind::kTermBlocks);
  dictionary.fields_ = fields;
  dictionary.hash_seed_ = meta.hash_seed;
  dictionary.slot_home_count_ = meta.slot_home_count;
  return dictionary;
}

const TermSlot* TermDictionary::Find(FieldId field, std::string_view term) const {
  if (term.empty() || term.size() > kMaxTokenBytes || slots_.empty()) return nullptr;
  const uint64_t term_hash = HashTermBytes(hash_seed_, term);
  const uint64_t home = HomeSlot(MixField(term_hash, field), slot_home_count_);
  const TermKey key(term, term_hash);
  for (uint64_t at = home; at < slots_.size(); ++at) {
    const TermSlot& slot = slots_[at];
    if (slot.representation == Representation::kEmpty) return nullptr;
    if (slot.field != field || slot.term_bytes != term.size() || !key.Matches(slot)) continue;
    if (term.size() <= kInlineTermBytes || Term(slot) == term) return &slot;
  }
  return nullptr;
}

std::string_view TermDictionary::Term(const TermSlot& slot) const {
  if (slot.representation == Representation::kEmpty) return {};
  if (slot.term_bytes <= kInlineTermBytes) {
    return {reinterpret_cast<const char*>(slot.key), slot.term_bytes};
  }
  const uint64_t offset = LongTermOffset(slot);
  if (offset > term_bytes_.size() || slot.term_bytes > term_bytes_.size() - offset) return {};
  return AsText(term_bytes_.subspan(offset, slot.term_bytes));
}

TermIterator::TermIterator(const TermDictionary& dictionary, FieldId field)
    : dictionary_(&dictionary) {
  if (field >= dictionary.fields_.size()) return;
  first_block_ = dictionary.fields_[field].first_term_block;
  block_count_ = dictionary.fields_[field].term_block_count;
}

// The bytes of a block; empty and status_ set when they lie outside.
bool TermIterator::LoadBlock(uint64_t block) {
  block_ = block;
  term_.clear();
  const uint64_t begin = dictionary_->block_starts_[first_block_ + block];
  const uint64_t end = dictionary_->block_starts_[first_block_ + block + 1];
  if (begin >= end || end > dictionary_->blocks_.size()) {
    status_ = DictionaryDamage(absl::StrCat("block ", first_block_ + block, " lies outside"));
    rest_ = {};
    return false;
  }
  rest_ = dictionary_->blocks_.subspan(begin, end - begin);
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
    status_ = DictionaryDamage(
        absl::StrCat("a term of block ", first_block_ + block_, " makes no sense"));
    rest_ = {};
    return false;
  }
  term_.resize(shared);
  term_.append(AsText(rest_.subspan(kTermHeadBytes, suffix)));
  slot_ = &dictionary_->slots_[slot];
  rest_ = rest_.subspan(kTermHeadBytes + suffix + sizeof(slot));
  return true;
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
