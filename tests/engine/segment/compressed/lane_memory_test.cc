#include "engine/segment/compressed/lane_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace lane_memory_test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kIsKept = false;
#else
constexpr bool kIsKept = true;
#endif

// Runs `test` on a thread that has kept nothing yet.
template <typename F>
void OnANewThread(const F& test) {
  std::thread(test).join();
}

TEST(LaneMemory, IsAlignedAndUsedAgainByTheThreadThatLeftIt) {
  OnANewThread([] {
    const std::byte* first = nullptr;
    {
      const LaneMemory memory(1 << 20);
      first = memory.data();
      std::memset(memory.data(), 1, 1 << 20);
    }
    const LaneMemory again((1 << 20) - 100);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(again.data()) % 64, 0u);
    if (kIsKept) {
      EXPECT_EQ(again.data(), first);
    }
    const LaneMemory other(1 << 20);
    EXPECT_NE(other.data(), again.data());
  });
}

TEST(LaneMemory, IsNotUsedForMuchShorterLists) {
  OnANewThread([] {
    const std::byte* large = nullptr;
    {
      const LaneMemory memory(16 << 20);
      large = memory.data();
    }
    const LaneMemory small(1 << 20);
    EXPECT_NE(small.data(), large);
    const LaneMemory most(15 << 20);
    if (kIsKept) {
      EXPECT_EQ(most.data(), large);
    }
  });
}

TEST(LaneMemory, MovesWithItsContent) {
  LaneMemory memory(1 << 20);
  std::byte* const data = memory.data();
  LaneMemory moved(std::move(memory));
  EXPECT_EQ(moved.data(), data);
  LaneMemory assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), data);
}

// A sanitizer or the kernel would see a piece that two lists share, that is freed twice, or that
// is smaller than was asked for.
TEST(LaneMemory, IsNeverOfTwoListsAtOnceWhateverIsTakenAndLeft) {
  OnANewThread([] {
    SeededRandom random(3);
    struct List {
      LaneMemory memory;
      size_t bytes;
      unsigned char mark;
    };
    std::vector<List> lists;
    for (int round = 0; round < 2000; ++round) {
      if (lists.size() == 12 || (!lists.empty() && random.OneIn(2))) {
        const size_t i = random.Below(lists.size());
        std::swap(lists[i], lists.back());
        const List& last = lists.back();
        for (const size_t at : {size_t{0}, last.bytes / 2, last.bytes - 1}) {
          ASSERT_EQ(last.memory.data()[at], std::byte{last.mark});
        }
        lists.pop_back();
      }
      const size_t bytes = 1 + random.Below(size_t{1} << (10 + random.Below(15)));
      lists.push_back({LaneMemory(bytes), bytes, static_cast<unsigned char>(round)});
      std::byte* const data = lists.back().memory.data();
      for (const size_t at : {size_t{0}, bytes / 2, bytes - 1}) {
        data[at] = std::byte{lists.back().mark};
      }
    }
  });
}

TEST(LaneMemory, MayEndOnAnotherThreadAndAfterItsOwn) {
  LaneMemory memory;
  OnANewThread([&memory] { memory = LaneMemory(1 << 20); });
  OnANewThread([&memory] { const LaneMemory taken(std::move(memory)); });
  EXPECT_EQ(memory.data(), nullptr);
}

}  // namespace lane_memory_test
}  // namespace pmdex
