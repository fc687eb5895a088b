#include "engine/analysis/word_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/ubrk.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/analysis/random_text.h"

namespace pmdex {
namespace word_scanner_test {

using testing::ElementsAre;
using testing::IsEmpty;

using Ranges = std::vector<std::pair<size_t, size_t>>;

template <typename Scanner = WordScanner>
Ranges Scan(std::string_view text, CharTable& table) {
  const char* const end = text.data() + text.size();
  Scanner scanner(end, table);
  Ranges words;
  for (const char* p = text.data(); p != end; p = scanner.position()) {
    if (!scanner.Start(p)) continue;
    while (scanner.Advance()) {
    }
    words.emplace_back(p - text.data(), scanner.position() - text.data());
  }
  return words;
}

template <typename Scanner = WordScanner>
std::vector<std::string> Words(std::string_view text) {
  CharTable table;
  std::vector<std::string> words;
  for (const auto& [begin, end] : Scan<Scanner>(text, table)) {
    words.emplace_back(text.substr(begin, end - begin));
  }
  return words;
}

// The segments of ICU's word iterator that hold a character of a word.
class IcuWords {
 public:
  IcuWords() {
    UErrorCode error = U_ZERO_ERROR;
    iterator_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
    EXPECT_TRUE(U_SUCCESS(error)) << u_errorName(error);
  }

  Ranges Scan(std::string_view text, CharTable& table) {
    UErrorCode error = U_ZERO_ERROR;
    UText utext = UTEXT_INITIALIZER;
    utext_openUTF8(&utext, text.data(), static_cast<int64_t>(text.size()), &error);
    ubrk_setUText(iterator_.get(), &utext, &error);
    EXPECT_TRUE(U_SUCCESS(error)) << u_errorName(error);
    Ranges words;
    int32_t begin = ubrk_first(iterator_.get());
    for (int32_t end; (end = ubrk_next(iterator_.get())) != UBRK_DONE; begin = end) {
      if (HoldsWord(text.substr(begin, end - begin), table)) words.emplace_back(begin, end);
    }
    utext_close(&utext);
    return words;
  }

 private:
  static bool HoldsWord(std::string_view segment, CharTable& table) {
    for (const char* p = segment.data(); p != segment.data() + segment.size();) {
      const ScannedChar c = ScanChar(p, segment.data() + segment.size(), table);
      const WordClass word_class = c.info.word_class();
      if (word_class == WordClass::kLetter || word_class == WordClass::kHebrewLetter ||
          word_class == WordClass::kNumeric || word_class == WordClass::kKatakana) {
        return true;
      }
      p = c.end;
    }
    return false;
  }

  struct Close {
    void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
  };
  std::unique_ptr<UBreakIterator, Close> iterator_;
};

// Where ICU leaves UAX #29 for the sake of its dictionaries.
bool IcuHasDictionaryFor(char32_t c, CharTable& table) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &error);
  const WordClass word_class = table.Get(c).word_class();
  return script == USCRIPT_HAN || script == USCRIPT_HANGUL || word_class == WordClass::kKatakana ||
         word_class == WordClass::kIdeograph || word_class == WordClass::kSoutheastAsian;
}

void ExpectEqualsIcu(std::vector<std::string> alphabet, int rounds, uint64_t seed) {
  IcuWords icu;
  CharTable table;
  std::erase_if(alphabet, [&table](const std::string& s) {
    return s == "@" || IcuHasDictionaryFor(DecodeUtf8(s.data(), s.data() + s.size()).value, table);
  });
  std::mt19937_64 random(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string text = RandomText(random, alphabet, 14);
    ASSERT_EQ(Scan(text, table), icu.Scan(text, table)) << testing::PrintToString(text);
  }
}

TEST(WordScanner, CutsAsciiAsIcuDoes) {
  ExpectEqualsIcu(NastyAscii(), 30'000, 1);
}

TEST(WordScanner, CutsMixedScriptsAsIcuDoes) {
  ExpectEqualsIcu(Joined(NastyAscii(), NastyUnicode()), 30'000, 2);
  ExpectEqualsIcu(NastyUnicode(), 30'000, 3);
}

TEST(WordScanner, CutsEveryCharacterBetweenLettersDigitsAndItselfAsIcuDoes) {
  IcuWords icu;
  CharTable table;
  for (char32_t c = 1; c < 0x20000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (c == '@' || IcuHasDictionaryFor(c, table)) continue;
    char utf8[4];
    const std::string s(utf8, EncodeUtf8(c, utf8));
    const std::string text = "a" + s + "b 1" + s + "2 \u05d0" + s + "\u05d0 _" + s + "_ " + s + s;
    ASSERT_EQ(Scan(text, table), icu.Scan(text, table)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(WordScanner, JoinsLettersAndDigitsAcrossMidPunctuation) {
  EXPECT_THAT(
      Words("can't e.g. 3.14 1,000 a,b 1.a a..b o’clock l·l"),
      ElementsAre("can't", "e.g", "3.14", "1,000", "a", "b", "1", "a", "a", "b", "o’clock", "l·l"));
}

TEST(WordScanner, EndsWordsAtColonsAndAtSigns) {
  EXPECT_THAT(Words("std::max key:value me@example.com"),
              ElementsAre("std", "max", "key", "value", "me", "example.com"));
}

TEST(WordScanner, TakesUnderscoresIntoWordsButNotAlone) {
  EXPECT_THAT(Words("_ __ snake_case __init__ _1 ‿"), ElementsAre("snake_case", "__init__", "_1"));
  EXPECT_THAT(Words("_漢"), ElementsAre("漢"));
}

TEST(WordScanner, TakesHanAndHiraganaCharacterByCharacterAndKatakanaInRuns) {
  EXPECT_THAT(Words("漢字かなカタカナ々〇"),
              ElementsAre("漢", "字", "か", "な", "カタカナ", "々", "〇"));
  EXPECT_THAT(Words("葛\U000E0100城"), ElementsAre("葛\U000E0100", "城"));
}

TEST(WordScanner, TakesRunsOfScriptsWithoutSpacesWhole) {
  EXPECT_THAT(Words("ภาษาไทย ລາວ abcไทย"), ElementsAre("ภาษาไทย", "ລາວ", "abc", "ไทย"));
}

TEST(WordScanner, KeepsHangulHebrewAndMarksTogether) {
  EXPECT_THAT(
      Words("한국어 \u1112\u1161\u11ab צה\"ל ג' ג'ז cafe\u0301 a\u200db"),
      ElementsAre("한국어", "\u1112\u1161\u11ab", "צה\"ל", "ג'", "ג'ז", "cafe\u0301", "a\u200db"));
}

TEST(WordScanner, FindsNoWordInEmojiPunctuationAndInvalidBytes) {
  EXPECT_THAT(Words("😀 👨\u200d👩\u200d👧 🇩🇪 … \u0301 \u200d \xff\xfe \xed\xa0\x80 ÷×"), IsEmpty());
  EXPECT_THAT(Words("a\u200d😀b 1\ufe0f\u20e3 x\xffy"),
              ElementsAre("a\u200d", "b", "1\ufe0f\u20e3", "x", "y"));
}

TEST(AlphanumericScanner, TakesRunsOfLettersMarksAndDigits) {
  EXPECT_THAT(Words<AlphanumericScanner>("a_b.c'd 漢字かな ไทย é½² cafe\u0301 x\u200dy 😀"),
              ElementsAre("a", "b", "c", "d", "漢字かな", "ไทย", "é½²", "cafe\u0301", "x", "y"));
}

}  // namespace word_scanner_test
}  // namespace pmdex
