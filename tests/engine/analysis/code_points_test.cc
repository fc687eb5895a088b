#include "engine/analysis/code_points.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace code_points_test {

std::vector<uint32_t> Decode(std::string_view text) {
  std::vector<uint32_t> characters;
  DecodeCodePoints(text, characters);
  return characters;
}

TEST(CodePoints, DecodeWhatWasAppended) {
  std::string before;
  for (uint32_t character = 1; character < 0x110000; character += 1 + character / 50) {
    std::string bytes;
    AppendCodePoint(character, bytes);
    ASSERT_EQ(CodePointBytes(bytes + "\x80"), bytes.size());
    ASSERT_EQ(Decode(bytes), std::vector<uint32_t>{character});
    ASSERT_LT(before, bytes);  // in order as bytes too
    before = bytes;
  }
}

TEST(CodePoints, TakeOnlyTheShortestFormForACharacter) {
  for (const char* bytes : {"\xc1\xa1", "\xe0\x81\xa1", "\xf0\x80\x81\xa1", "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    const std::string_view text(bytes);
    EXPECT_EQ(CountCodePoints(text), text.size());
    for (const uint32_t character : Decode(text)) EXPECT_TRUE(IsStrayByte(character));
  }
  EXPECT_FALSE(IsStrayByte(Decode("\xf4\x8f\xbf\xbf")[0]));
}

TEST(CodePoints, CountEveryByteThatIsNoCharacter) {
  EXPECT_EQ(Decode("a\xc3\xe2\x82z"),
            (std::vector<uint32_t>{'a', 0x1100c3, 0x1100e2, 0x110082, 'z'}));
}

}  // namespace code_points_test
}  // namespace pmdex
