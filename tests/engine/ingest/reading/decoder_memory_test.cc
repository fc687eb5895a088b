#include "engine/ingest/reading/decoder_memory.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace pmdex {
namespace decoder_memory_test {

TEST(DecoderMemory, GivesWhatIsAskedForAndTakesItBack) {
  DecoderMemory memory(size_t{1} << 20);
  for (const size_t size_bytes : {size_t{1}, size_t{100}, size_t{400'000}}) {
    void* const bytes = memory.Allocate(size_bytes);
    ASSERT_NE(bytes, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 16, 0u);
    std::memset(bytes, 1, size_bytes);
    EXPECT_GE(memory.used_bytes(), size_bytes);
    memory.Free(bytes);
    EXPECT_EQ(memory.used_bytes(), 0u);
  }
  memory.Free(nullptr);
  EXPECT_EQ(memory.needed_bytes(), 0u);
}

TEST(DecoderMemory, RefusesWhatGoesBeyondItsLimitAndSaysHowMuchWouldDo) {
  DecoderMemory memory(100'000);
  void* const first = memory.Allocate(60'000);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.Allocate(60'000), nullptr);
  const size_t needed = memory.needed_bytes();
  EXPECT_GE(needed, 120'000u);
  DecoderMemory enough(needed);
  void* const a = enough.Allocate(60'000);
  void* const b = enough.Allocate(60'000);
  EXPECT_TRUE(a != nullptr && b != nullptr);
  enough.Free(a);
  enough.Free(b);
  memory.Free(first);
}

TEST(DecoderMemory, RefusesSizesThatOverflow) {
  DecoderMemory memory(std::numeric_limits<size_t>::max());
  EXPECT_EQ(memory.Allocate(std::numeric_limits<size_t>::max()), nullptr);
  EXPECT_EQ(memory.Allocate(std::numeric_limits<size_t>::max() - 70), nullptr);
  EXPECT_GT(memory.needed_bytes(), 0u);
}

}  // namespace decoder_memory_test
}  // namespace pmdex
