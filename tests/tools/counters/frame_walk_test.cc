#include "tools/counters/frame_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace pmdex {
namespace frame_walk_test {

using testing::ElementsAre;
using testing::IsEmpty;

// A made-up stack of one page, with pages beside it that nobody may read.
class MadeUpStack {
 public:
  MadeUpStack() {
    const auto page = static_cast<size_t>(getpagesize());
    memory_ = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory_, MAP_FAILED);
    words_ = reinterpret_cast<uint64_t*>(static_cast<char*>(memory_) + page);
    EXPECT_EQ(mprotect(words_, page, PROT_READ | PROT_WRITE), 0);
  }
  ~MadeUpStack() { munmap(memory_, 3 * static_cast<size_t>(getpagesize())); }
  MadeUpStack(const MadeUpStack&) = delete;
  MadeUpStack& operator=(const MadeUpStack&) = delete;

  static size_t size() { return static_cast<size_t>(getpagesize()) / sizeof(uint64_t); }
  uint64_t AddressOf(size_t word) const { return reinterpret_cast<uint64_t>(words_ + word); }
  uint64_t& operator[](size_t word) { return words_[word]; }
  void AddFrame(size_t word, size_t caller_frame, uint64_t returns_to) {
    words_[word] = AddressOf(caller_frame);
    words_[word + 1] = returns_to;
  }
  StackBounds bounds() const { return {AddressOf(0), AddressOf(size())}; }

  std::vector<uint64_t> Walk(uint64_t stack_pointer, uint64_t frame_pointer,
                             size_t room = kMostCallers) const {
    std::vector<uint64_t> callers(room);
    callers.resize(WalkFrames(bounds(), stack_pointer, frame_pointer, callers));
    return callers;
  }

 private:
  void* memory_ = nullptr;
  uint64_t* words_ = nullptr;
};

TEST(FrameWalk, FollowsTheChainToItsEnd) {
  MadeUpStack stack;
  stack.AddFrame(10, 20, 0xa1);
  stack.AddFrame(20, 22, 0xa2);
  stack.AddFrame(22, MadeUpStack::size() - 2, 0xa3);
  stack.AddFrame(MadeUpStack::size() - 2, 0, 0xa4);
  EXPECT_THAT(stack.Walk(stack.AddressOf(5), stack.AddressOf(10)),
              ElementsAre(0xa1, 0xa2, 0xa3, 0xa4));
  EXPECT_THAT(stack.Walk(stack.AddressOf(10), stack.AddressOf(10), 2), ElementsAre(0xa1, 0xa2));
  EXPECT_THAT(stack.Walk(stack.AddressOf(10), stack.AddressOf(10), 0), IsEmpty());
}

TEST(FrameWalk, EndsWhereTheChainIsBroken) {
  MadeUpStack stack;
  const auto walk_to = [&](uint64_t next) {
    stack[10] = next;
    stack[11] = 0xa1;
    return stack.Walk(stack.AddressOf(5), stack.AddressOf(10));
  };
  stack.AddFrame(4, 20, 0xbad);  // below the stack pointer
  stack.AddFrame(12, 0, 0xa2);
  EXPECT_THAT(walk_to(stack.AddressOf(12)), ElementsAre(0xa1, 0xa2));
  for (const uint64_t next : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, stack.AddressOf(10),
                              stack.AddressOf(11), stack.AddressOf(4), stack.AddressOf(12) + 1,
                              stack.AddressOf(12) + 4, stack.AddressOf(MadeUpStack::size()),
                              stack.AddressOf(MadeUpStack::size() - 1), stack.AddressOf(0) - 16}) {
    EXPECT_THAT(walk_to(next), ElementsAre(0xa1)) << next - stack.AddressOf(0);
  }
  stack[13] = 0;  // no caller
  EXPECT_THAT(walk_to(stack.AddressOf(12)), ElementsAre(0xa1));
}

TEST(FrameWalk, DoesNothingOutsideTheStack) {
  MadeUpStack stack;
  stack.AddFrame(10, 0, 0xa1);
  for (const uint64_t pointer : {uint64_t{0}, stack.AddressOf(0) - 8, stack.bounds().end}) {
    EXPECT_THAT(stack.Walk(pointer, stack.AddressOf(10)), IsEmpty());
  }
  EXPECT_THAT(stack.Walk(stack.AddressOf(11), stack.AddressOf(10)), IsEmpty());
  std::array<uint64_t, 4> callers = {};
  EXPECT_EQ(WalkFrames({}, stack.AddressOf(5), stack.AddressOf(10), callers), 0u);
}

// Whatever lies on the stack, nothing beside it is read (the pages there would end the test), and
// the walk goes upwards.
TEST(FrameWalk, StaysWithinTheStackWhateverIsOnIt) {
  MadeUpStack stack;
  std::mt19937_64 random(20);
  const auto any_word = [&]() -> uint64_t {
    const uint64_t inside = stack.AddressOf(random() % MadeUpStack::size());
    switch (random() % 8) {
      case 0:
        return random();
      case 1:
        return inside + random() % 8;
      case 2:
        return stack.bounds().end - random() % 32;
      case 3:
        return stack.bounds().begin - random() % 32;
      default:
        return inside;
    }
  };
  size_t longest = 0;
  for (int round = 0; round < 2'000; ++round) {
    for (size_t i = 0; i < MadeUpStack::size(); ++i) stack[i] = any_word();
    for (int walk = 0; walk < 20; ++walk) {
      const auto callers = stack.Walk(any_word(), any_word());
      ASSERT_LE(callers.size(), kMostCallers);
      longest = std::max(longest, callers.size());
    }
  }
  EXPECT_GT(longest, 3u);
}

TEST(StackOfThisThread, HoldsTheLocalVariablesOfEachThread) {
  const auto check = [](StackBounds& stack) {
    int local = 0;
    stack = StackOfThisThread();
    const auto address = reinterpret_cast<uint64_t>(&local);
    EXPECT_LE(stack.begin, address);
    EXPECT_LT(address, stack.end);
  };
  StackBounds own;
  StackBounds other;
  check(own);
  std::thread([&] { check(other); }).join();
  EXPECT_NE(own.end, other.end);
}

}  // namespace frame_walk_test
}  // namespace pmdex
