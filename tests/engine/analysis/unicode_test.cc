#include "engine/analysis/unicode.h"

#include <gtest/gtest.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/analysis/random_text.h"

namespace pmdex {
namespace unicode_test {

std::string Utf8(char32_t c) {
  char utf8[4];
  return {utf8, EncodeUtf8(c, utf8)};
}

// ICU's NFKC_Casefold: other code, other tables.
class IcuCasefold {
 public:
  IcuCasefold() { normalizer_ = unorm2_getNFKCCasefoldInstance(&error_); }

  std::string operator()(std::string_view text) {
    std::u16string source;
    for (size_t i = 0; i < text.size();) {
      const DecodedChar c = DecodeUtf8(text.data() + i, text.data() + text.size());
      i += c.size;
      UChar units[2];
      int32_t n = 0;
      U16_APPEND_UNSAFE(units, n, c.value);
      source.append(units, static_cast<size_t>(n));
    }
    std::u16string folded(source.size() * 20 + 20, u'\0');
    const int32_t n = unorm2_normalize(normalizer_, source.data(), int32_t(source.size()),
                                       folded.data(), int32_t(folded.size()), &error_);
    EXPECT_TRUE(U_SUCCESS(error_)) << u_errorName(error_);
    std::string result;
    for (int32_t i = 0; i < n;) {
      UChar32 c;
      U16_NEXT(folded.data(), i, n, c);
      result += Utf8(static_cast<char32_t>(c));
    }
    return result;
  }

 private:
  UErrorCode error_ = U_ZERO_ERROR;
  const UNormalizer2* normalizer_;
};

TEST(Utf8, EveryScalarValueSurvivesEncodingAndDecoding) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string utf8 = Utf8(c);
    const DecodedChar decoded = DecodeUtf8(utf8.data(), utf8.data() + utf8.size());
    ASSERT_TRUE(decoded.valid);
    ASSERT_EQ(decoded.value, c);
    ASSERT_EQ(decoded.size, utf8.size());
    const std::string padded = utf8 + "..";
    ASSERT_EQ(DecodeUtf8(padded.data(), padded.data() + padded.size()).value, c);
    ASSERT_EQ(Utf8Length(utf8[0]), utf8.size());
  }
}

TEST(Utf8, DecodesAnyBytesAsIcuDoes) {
  std::mt19937_64 random(1);
  constexpr unsigned char kLikely[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                       0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
                                       0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFF};
  for (int i = 0; i < 300'000; ++i) {
    char bytes[5];
    for (char& byte : bytes) byte = static_cast<char>(kLikely[random() % sizeof(kLikely)]);
    const auto size = static_cast<int32_t>(random() % 5 + 1);
    int32_t next = 0;
    UChar32 expected;
    U8_NEXT(bytes, next, size, expected);
    const DecodedChar decoded = DecodeUtf8(bytes, bytes + size);
    ASSERT_EQ(decoded.valid, expected >= 0);
    ASSERT_EQ(decoded.value, expected >= 0 ? static_cast<char32_t>(expected) : 0xFFFD);
    ASSERT_EQ(decoded.size, static_cast<uint32_t>(next));
    const DecodedChar slow = DecodeAnyUtf8(bytes, bytes + size);
    ASSERT_EQ(slow.value, decoded.value);
    ASSERT_EQ(slow.size, decoded.size);
    ASSERT_EQ(slow.valid, decoded.valid);
  }
}

TEST(NfkcCasefold, FoldsCaseWidthLigaturesAndMarks) {
  EXPECT_EQ(NfkcCasefold("Straße"), "strasse");
  EXPECT_EQ(NfkcCasefold("İstanbul"), "i\u0307stanbul");
  EXPECT_EQ(NfkcCasefold("ΟΔΥΣΣΕΥΣ"), NfkcCasefold("οδυσσευς"));
  EXPECT_EQ(NfkcCasefold("１２３ ＡＢＣ ﬁ ﬃ ² ½ №"), "123 abc fi ffi 2 1⁄2 no");
  EXPECT_EQ(NfkcCasefold("e\u0301"), "é");
  EXPECT_EQ(NfkcCasefold("e\u0323\u0302"), NfkcCasefold("e\u0302\u0323"));
  EXPECT_EQ(NfkcCasefold("\u1112\u1161\u11ab"), "한");
  EXPECT_EQ(NfkcCasefold("ｶﾞ"), "ガ");
  EXPECT_EQ(NfkcCasefold("a\u00adb\u200dc\ufe0f"), "abc");
  EXPECT_EQ(NfkcCasefold("\u00ad\u2060"), "");
  EXPECT_EQ(NfkcCasefold(""), "");
}

TEST(NfkcCasefold, ReplacesInvalidBytes) {
  EXPECT_EQ(NfkcCasefold("A\xffÉ\xe2\x82"), "a\ufffdé\ufffd");
}

TEST(NfkcCasefold, EqualsIcuOnEveryCharacterThatAWordMayHold) {
  IcuCasefold icu;
  CharTable table;
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const CharInfo info = table.Get(c);
    if (info.word_class() == WordClass::kOther && !info.is_alphanumeric()) continue;
    ASSERT_EQ(NfkcCasefold(Utf8(c)), icu(Utf8(c))) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(NfkcCasefold, EqualsIcuOnRandomText) {
  std::mt19937_64 random(2);
  IcuCasefold icu;
  CaseFolder folder;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = RandomText(random, Joined(NastyUnicode(), NastyAscii()), 20);
    ASSERT_EQ(folder.Fold(text), icu(text)) << testing::PrintToString(text);
  }
}

TEST(CharTable, SimpleFoldsConcatenateToTheFoldOfTheWhole) {
  CharTable table;
  std::string simple;
  std::string folded;
  std::vector<char32_t> characters;
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c < 0xD800 || c > 0xDFFF) characters.push_back(c);
  }
  std::shuffle(characters.begin(), characters.end(), std::mt19937_64(3));
  for (const char32_t c : characters) {
    const char32_t fold = table.Get(c).simple_fold();
    if (fold == 0) continue;
    simple += Utf8(c);
    folded += Utf8(fold);
  }
  EXPECT_TRUE(NfkcCasefold(simple) == folded);
}

TEST(CharTable, StartsClustersOnlyWhereIcuSeesABoundary) {
  CharTable table;
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getNFKCCasefoldInstance(&error);
  ASSERT_TRUE(U_SUCCESS(error));
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (table.Get(c).starts_cluster() && u_isdefined(static_cast<UChar32>(c))) {
      ASSERT_TRUE(unorm2_hasBoundaryBefore(normalizer, static_cast<UChar32>(c)))
          << std::hex << static_cast<uint32_t>(c);
    }
  }
  EXPECT_TRUE(table.Get('a').starts_cluster());
  EXPECT_TRUE(table.Get(0xAC00).starts_cluster());
  EXPECT_FALSE(table.Get(0x0301).starts_cluster());
  EXPECT_FALSE(table.Get(0x1161).starts_cluster());
  EXPECT_FALSE(table.Get(0x09BE).starts_cluster());
}

TEST(CharTable, KnowsSpaces) {
  CharTable table;
  for (const int c : {0x09, 0x0A, 0x0D, 0x20, 0x85, 0xA0, 0x2003, 0x2028, 0x3000}) {
    EXPECT_TRUE(table.Get(static_cast<char32_t>(c)).is_space()) << c;
  }
  for (const char32_t c : {U'a', U'!', U'_', U'\0', U'\x1B', U'\x7F'})
    EXPECT_FALSE(table.Get(c).is_space());
  EXPECT_FALSE(table.Get(0x200B).is_space());  // ZERO WIDTH SPACE is no White_Space
}

}  // namespace unicode_test
}  // namespace pmdex
