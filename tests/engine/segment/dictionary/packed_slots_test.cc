#include "engine/segment/dictionary/packed_slots.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace packed_slots_test {

void SetKey(std::mt19937& random, TermSlot& slot) {
  slot.term_bytes = static_cast<uint8_t>(1 + random() % (random() % 4 == 0 ? 255 : 20));
  slot.field = static_cast<FieldId>(random());
  const size_t key_bytes = std::min<size_t>(slot.term_bytes, kInlineTermBytes);
  for (size_t i = 0; i < key_bytes; ++i) slot.key[i] = static_cast<uint8_t>(random());
}

TermSlot InlineSlot(std::mt19937& random) {
  TermSlot slot{};
  slot.df = 1 + random() % kMaxInlinePostings;
  for (uint32_t i = 0; i < slot.df; ++i) {
    slot.inlined.docids[i] = random();
    slot.inlined.freqs[i] = static_cast<uint8_t>(1 + random() % 254);
    slot.inlined.codes[i] = static_cast<uint8_t>(random());
    slot.cf += slot.inlined.freqs[i];
  }
  slot.representation = Representation::kInline;
  if (random() % 3 == 0) slot.inlined.position_start = random();
  if (random() % 3 == 0) {
    slot.representation = Representation::kInlineWithPositions;
    slot.inlined.positions[3] = static_cast<uint16_t>(random());
  }
  return slot;
}

TermSlot LanesSlot(std::mt19937& random) {
  TermSlot slot{};
  slot.df = random() % 2 == 0 ? random() : 0xfffffffe;
  slot.cf = uint64_t{random()} << 20;
  slot.representation = random() % 2 == 0 ? Representation::kLanes : Representation::kBitset;
  slot.lanes = {random(), random(), 7, kNoOverflow, {{9, 8, 7, 6}, {5, 4, 3, 2}}};
  return slot;
}

TEST(PackedSlots, GiveBackWhatWasAdded) {
  std::mt19937 random(4);
  PackedSlots packed;
  std::vector<TermSlot> slots;
  for (int i = 0; i < 60000; ++i) {
    TermSlot slot = random() % 2 == 0 ? InlineSlot(random) : LanesSlot(random);
    SetKey(random, slot);
    packed.Add(slot);
    slots.push_back(slot);
  }
  ASSERT_EQ(packed.count(), slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    TermSlot slot;
    packed.Get(i, slot);
    ASSERT_EQ(std::memcmp(&slot, &slots[i], sizeof(slot)), 0) << i;
  }
}

TEST(PackedSlots, KeepThePlaceOfASlotThatComesLater) {
  std::mt19937 random(5);
  PackedSlots packed;
  std::vector<TermSlot> slots;
  for (int i = 0; i < 3000; ++i) {
    TermSlot slot = i % 3 == 0 ? InlineSlot(random) : LanesSlot(random);
    SetKey(random, slot);
    slots.push_back(slot);
    if (i % 2 == 0) {  // only what is known of it
      const TermSlot whole = slot;
      slot = {};
      std::memcpy(slot.key, whole.key, sizeof(slot.key));
      slot.field = whole.field;
      slot.term_bytes = whole.term_bytes;
    }
    packed.Add(slot);
  }
  for (size_t i = 0; i < slots.size(); i += 2) {
    TermSlot other = slots[i];
    ++other.term_bytes;
    EXPECT_FALSE(packed.Set(i, other));
    other = slots[i];
    ++other.field;
    EXPECT_FALSE(packed.Set(i, other));
    other = slots[i];
    ++other.key[std::min<size_t>(other.term_bytes, 8) - 1];
    EXPECT_FALSE(packed.Set(i, other)) << "another term of the same size";
    EXPECT_TRUE(packed.Set(i, slots[i]));
    EXPECT_FALSE(packed.Set(i, slots[i])) << "once";
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    TermSlot slot;
    packed.Get(i, slot);
    ASSERT_EQ(std::memcmp(&slot, &slots[i], sizeof(slot)), 0) << i;
  }
}

}  // namespace packed_slots_test
}  // namespace pmdex
