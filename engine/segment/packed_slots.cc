#include "engine/segment/packed_slots.h"

#include <algorithm>
#include <cstring>

namespace pmdex {
namespace {

// What a packed slot begins with. The bytes of the key follow, then, of an inline list, its docids,
// freqs and codes and the eight bytes behind them if they are not zero; of another, cf and lanes.
struct Head {
  uint32_t df;
  FieldId field;
  uint8_t term_bytes;
  Representation representation : 7;
  uint8_t has_tail : 1;
};
static_assert(sizeof(Head) == 8);

size_t KeyBytes(uint8_t term_bytes) {
  return std::min<size_t>(term_bytes, kInlineTermBytes);
}

bool IsInline(Representation representation) {
  return representation == Representation::kInline ||
         representation == Representation::kInlineWithPositions;
}

// Copies N bytes, of which `size` count.
template <size_t N>
std::byte* Put(std::byte* out, const void* bytes, size_t size) {
  std::memcpy(out, bytes, N);
  return out + size;
}

}  // namespace

void PackedSlots::Add(const TermSlot& slot) {
  std::byte* const begin = bytes_.Room();
  uint64_t tail = 0;
  const bool is_inline = IsInline(slot.representation);
  if (is_inline) std::memcpy(&tail, slot.inlined.positions, sizeof(tail));
  const Head head = {slot.df, slot.field, slot.term_bytes, slot.representation, tail != 0};
  std::byte* end = Put<sizeof(head)>(begin, &head, sizeof(head));
  end = Put<kInlineTermBytes>(end, slot.key, KeyBytes(slot.term_bytes));
  if (is_inline) {
    end = Put<sizeof(slot.inlined.docids)>(end, slot.inlined.docids, slot.df * sizeof(DocId));
    end = Put<sizeof(slot.inlined.freqs)>(end, slot.inlined.freqs, slot.df);
    end = Put<sizeof(slot.inlined.codes)>(end, slot.inlined.codes, slot.df);
    end = Put<sizeof(tail)>(end, &tail, tail != 0 ? sizeof(tail) : 0);
  } else {
    end = Put<sizeof(slot.cf)>(end, &slot.cf, sizeof(slot.cf));
    end = Put<sizeof(slot.lanes)>(end, &slot.lanes, sizeof(slot.lanes));
  }
  const uint64_t place = bytes_.Commit(static_cast<size_t>(end - begin));
  if (distances_.size() % kGroup == 0) group_places_.push_back(place);
  distances_.push_back(static_cast<uint16_t>(place - group_places_.back()));
}

TermSlot PackedSlots::Get(uint64_t index) const {
  const std::byte* from = At(index);
  const auto take = [&from](void* to, size_t size) {
    std::memcpy(to, from, size);
    from += size;
  };
  Head head;
  take(&head, sizeof(head));
  TermSlot slot{};
  take(slot.key, KeyBytes(head.term_bytes));
  slot.field = head.field;
  slot.term_bytes = head.term_bytes;
  slot.representation = head.representation;
  slot.df = head.df;
  if (!IsInline(head.representation)) {
    take(&slot.cf, sizeof(slot.cf));
    take(&slot.lanes, sizeof(slot.lanes));
    return slot;
  }
  for (uint32_t i = 0; i < slot.df; ++i) take(&slot.inlined.docids[i], sizeof(DocId));
  for (uint32_t i = 0; i < slot.df; ++i) {
    take(&slot.inlined.freqs[i], 1);
    slot.cf += slot.inlined.freqs[i];
  }
  for (uint32_t i = 0; i < slot.df; ++i) take(&slot.inlined.codes[i], 1);
  if (head.has_tail != 0) take(slot.inlined.positions, sizeof(slot.inlined.positions));
  return slot;
}

}  // namespace pmdex
