#include "engine/memtable/terms/term_slots.h"

#include <map>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace pmdex {
namespace term_slots_test {

// Clusters that touch, and one that goes around the end: homes come from the low bits.
uint32_t RandomHash(std::mt19937& random) {
  const uint32_t home = random() % 3 == 0 ? 0xfff8 + random() % 8 : random() % 600;
  return home | (random() % 4) << 16 | static_cast<uint32_t>(random() % 4) << 24;
}

class TermSlotsOfParts : public testing::TestWithParam<uint32_t> {
 protected:
  // Of those with this hash all, as often as Find meets them.
  std::multiset<Arena::Handle> Met(uint32_t hash) const {
    std::multiset<Arena::Handle> met;
    const auto is_it = [&met](Arena::Handle handle) {
      met.insert(handle);
      return false;
    };
    EXPECT_EQ(slots_.Find<false>(hash, is_it), 0u);
    return met;
  }

  TermSlots slots_{GetParam()};
  std::map<uint32_t, std::multiset<Arena::Handle>> expected_;
};

TEST_P(TermSlotsOfParts, FindWhatWasInsertedAndNotRemoved) {
  std::mt19937 random(41);
  Arena::Handle next = 1;
  size_t size = 0;
  for (int step = 0; step < 20000; ++step) {
    const uint32_t hash = RandomHash(random);
    std::multiset<Arena::Handle>& handles = expected_[hash];
    if (handles.empty() || (step < 6000 && random() % 3 > 0)) {
      slots_.Reserve(1);
      slots_.Insert(hash, next);
      handles.insert(next++);
      ++size;
    } else {
      slots_.Remove(hash, *handles.begin());
      handles.erase(handles.begin());
      --size;
    }
    ASSERT_EQ(slots_.size(), size);
    ASSERT_EQ(Met(hash), handles);
  }
  for (const auto& [hash, handles] : expected_) ASSERT_EQ(Met(hash), handles);
}

TEST_P(TermSlotsOfParts, GiveTheOneThatIsMeant) {
  for (Arena::Handle handle = 1; handle <= 100; ++handle) {
    slots_.Reserve(1);
    slots_.Insert(7, handle);
  }
  const auto find = [this](Arena::Handle meant) {
    return slots_.Find<false>(7, [&](Arena::Handle handle) { return handle == meant; });
  };
  for (Arena::Handle handle = 1; handle <= 100; ++handle) EXPECT_EQ(find(handle), handle);
  EXPECT_EQ(find(101), 0u);
}

TEST_P(TermSlotsOfParts, TakeMemoryUntilTheyAreDropped) {
  const size_t empty = slots_.size_bytes();
  EXPECT_GT(empty, 0u);
  slots_.Reserve(100000);
  EXPECT_GE(slots_.size_bytes(), 100000u * 8);
  slots_.Drop();
  EXPECT_EQ(slots_.size_bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, TermSlotsOfParts, testing::Values(1u, 4u));

}  // namespace term_slots_test
}  // namespace pmdex
