#include "engine/segment/dictionary/packed_entries.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace packed_entries_test {

void SetKey(std::mt19937& random, DictionaryEntry& entry) {
  entry.term_bytes = static_cast<uint8_t>(1 + random() % (random() % 4 == 0 ? 255 : 20));
  entry.field = static_cast<FieldId>(random());
  const size_t key_bytes = std::min<size_t>(entry.term_bytes, kInlineTermBytes);
  for (size_t i = 0; i < key_bytes; ++i) entry.key[i] = static_cast<uint8_t>(random());
}

DictionaryEntry InlineEntry(std::mt19937& random) {
  DictionaryEntry entry{};
  entry.df = 1 + random() % kMaxInlinePostings;
  for (uint32_t i = 0; i < entry.df; ++i) {
    entry.inlined.docids[i] = random();
    entry.inlined.freqs[i] = static_cast<uint8_t>(1 + random() % 254);
    entry.inlined.codes[i] = static_cast<uint8_t>(random());
    entry.cf += entry.inlined.freqs[i];
  }
  entry.representation = Representation::kInline;
  if (random() % 3 == 0) entry.inlined.position_start = random();
  if (random() % 3 == 0) {
    entry.representation = Representation::kInlineWithPositions;
    entry.inlined.positions[3] = static_cast<uint16_t>(random());
  }
  return entry;
}

DictionaryEntry LanesEntry(std::mt19937& random) {
  DictionaryEntry entry{};
  entry.df = random() % 2 == 0 ? random() : 0xfffffffe;
  entry.cf = uint64_t{random()} << 20;
  entry.representation = random() % 2 == 0 ? Representation::kLanes : Representation::kBitset;
  entry.lanes = {random(), random(), 7, kNoOverflow, {{9, 8, 7, 6}, {5, 4, 3, 2}}};
  return entry;
}

TEST(PackedEntries, GiveBackWhatWasAdded) {
  std::mt19937 random(4);
  PackedEntries packed;
  std::vector<DictionaryEntry> entries;
  for (int i = 0; i < 60000; ++i) {
    DictionaryEntry entry = random() % 2 == 0 ? InlineEntry(random) : LanesEntry(random);
    SetKey(random, entry);
    packed.Add(entry);
    entries.push_back(entry);
  }
  ASSERT_EQ(packed.count(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    DictionaryEntry entry;
    packed.Get(i, entry);
    ASSERT_EQ(std::memcmp(&entry, &entries[i], sizeof(entry)), 0) << i;
  }
}

TEST(PackedEntries, KeepThePlaceOfAnEntryThatComesLater) {
  std::mt19937 random(5);
  PackedEntries packed;
  std::vector<DictionaryEntry> entries;
  for (int i = 0; i < 3000; ++i) {
    DictionaryEntry entry = i % 3 == 0 ? InlineEntry(random) : LanesEntry(random);
    SetKey(random, entry);
    entries.push_back(entry);
    if (i % 2 == 0) {  // only what is known of it
      const DictionaryEntry whole = entry;
      entry = {};
      std::memcpy(entry.key, whole.key, sizeof(entry.key));
      entry.field = whole.field;
      entry.term_bytes = whole.term_bytes;
    }
    packed.Add(entry);
  }
  for (size_t i = 0; i < entries.size(); i += 2) {
    DictionaryEntry other = entries[i];
    ++other.term_bytes;
    EXPECT_FALSE(packed.Set(i, other));
    other = entries[i];
    ++other.field;
    EXPECT_FALSE(packed.Set(i, other));
    other = entries[i];
    ++other.key[std::min<size_t>(other.term_bytes, 8) - 1];
    EXPECT_FALSE(packed.Set(i, other)) << "another term of the same size";
    EXPECT_TRUE(packed.Set(i, entries[i]));
    EXPECT_FALSE(packed.Set(i, entries[i])) << "once";
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    DictionaryEntry entry;
    packed.Get(i, entry);
    ASSERT_EQ(std::memcmp(&entry, &entries[i], sizeof(entry)), 0) << i;
  }
}

}  // namespace packed_entries_test
}  // namespace pmdex
