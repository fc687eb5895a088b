#include "engine/analysis/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/engine/analysis/random_text.h"
#include "tests/engine/analysis/token_collector.h"
#include "tests/engine/analysis/tokenizer_paths.h"

namespace pmdex {
namespace tokenizer_test {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename Rules>
void ExpectPathsEqualOn(const std::vector<std::string>& alphabet, int rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  EachPath<WordTokenizer<Rules>> paths;
  for (int i = 0; i < rounds; ++i) {
    paths.ExpectEqual(RandomText(random, alphabet, i % 10 == 0 ? 200 : 12));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(WordTokenizer, EveryPathEqualsTheScannerOnNastyAscii) {
  ExpectPathsEqualOn<StandardRules>(NastyAscii(), 200'000, 1);
}

TEST(WordTokenizer, EveryPathEqualsTheScannerOnMixedText) {
  ExpectPathsEqualOn<StandardRules>(Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8()),
                                    60'000, 2);
}

TEST(WordTokenizer, EveryPathOfLogsEqualsTheScanner) {
  ExpectPathsEqualOn<LogRules>(NastyAscii(), 60'000, 3);
  ExpectPathsEqualOn<LogRules>(Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8()), 30'000,
                               4);
}

TEST(WordTokenizer, EveryPairOfBytesBetweenWordsIsCutAlike) {
  EachPath<WordTokenizer<StandardRules>> paths;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text = "ab??12??cd";
      text[2] = text[6] = static_cast<char>(first);
      text[3] = text[7] = static_cast<char>(second);
      paths.ExpectEqual(text);
      if (HasFatalFailure()) return;
    }
  }
}

// What comes before or behind white space has no say in a word, so a text may be cut there.
TEST(WordTokenizer, CuttingTheTextAtWhiteSpaceChangesNoToken) {
  std::mt19937_64 random(5);
  const std::vector<std::string> alphabet =
      Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8());
  WordTokenizer<StandardRules> tokenizer;
  for (int i = 0; i < 30'000; ++i) {
    const std::string left = RandomText(random, alphabet, 8);
    const std::string right = RandomText(random, alphabet, 8);
    const std::string text = left + (i % 2 == 0 ? " " : "\n") + right;
    TokenCollector parts;
    const uint32_t next = tokenizer.Tokenize(left, 7, parts);
    const size_t in_left = parts.tokens.size();
    tokenizer.Tokenize(right, next, parts);
    for (size_t t = in_left; t < parts.tokens.size(); ++t) {
      parts.tokens[t].begin += left.size() + 1;
      parts.tokens[t].end += left.size() + 1;
    }
    ASSERT_EQ(Tokenized(tokenizer, text), parts.tokens) << testing::PrintToString(text);
  }
}

TEST(WordTokenizer, WordsAreInOrderDisjointAndFoldedFromTheirOffsets) {
  std::mt19937_64 random(6);
  const std::vector<std::string> alphabet =
      Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8());
  WordTokenizer<StandardRules> tokenizer;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = RandomText(random, alphabet, 30);
    uint64_t previous_end = 0;
    for (const OwnedToken& token : Tokenized(tokenizer, text)) {
      ASSERT_LE(previous_end, token.begin);
      ASSERT_LT(token.begin, token.end);
      ASSERT_LE(token.end, text.size());
      ASSERT_EQ(token.term, NfkcCasefold(text.substr(token.begin, token.end - token.begin)));
      previous_end = token.end;
    }
  }
}

// The pieces of word as the contract says: its normal form, cut greedily at character borders.
std::vector<std::string> ExpectedPieces(std::string_view word) {
  const std::string folded = NfkcCasefold(word);
  std::vector<std::string> pieces;
  for (size_t i = 0; i < folded.size();) {
    const size_t length = Utf8Length(folded[i]);
    if (pieces.empty() || pieces.back().size() + length > kMaxTokenBytes) pieces.emplace_back();
    pieces.back().append(folded, i, length);
    i += length;
  }
  return pieces;
}

TEST(WordTokenizer, PiecesOfALongWordAreItsNormalFormCutAtCharacterBorders) {
  std::mt19937_64 random(8);
  const std::vector<std::string> alphabet = {
      "a",      "Z",      "9",      "é",      "ß",          "İ",      "ﷺ",      "\u0301",
      "\u0323", "\u00ad", "\u0345", "한",     "\u1100",     "\u1161", "\u11a8", "क",
      "\u094d", "\u0937", "\u09c7", "\u09be", "\U0001d400", "ﬁ"};
  WordTokenizer<LogRules> log;
  WordTokenizer<StandardRules> standard;
  for (int i = 0; i < 2'000; ++i) {
    const std::string word = "x" + RandomText(random, alphabet, 600);
    TokenCollector collector;
    standard.Tokenize(word, 0, collector);
    ASSERT_EQ(collector.terms(), ExpectedPieces(word));
    uint64_t begin = 0;
    for (const OwnedToken& token : collector.tokens) {
      ASSERT_LE(begin, token.begin);
      ASSERT_LT(token.begin, token.end);
      ASSERT_LE(token.end, word.size());
      begin = token.begin;
    }
  }
}

TEST(WordTokenizer, CutsLongAsciiWordsAt255Bytes) {
  for (const size_t size : {254, 255, 256, 257, 509, 510, 511, 765, 1019, 1020, 1021, 5000}) {
    for (const std::string_view after : {"", " ", ".", "-b"}) {
      WordTokenizer<StandardRules> tokenizer;
      const std::string word(size, 'Q');
      TokenCollector collector;
      tokenizer.Tokenize(word + std::string(after), 0, collector);
      if (after == "-b") {
        ASSERT_EQ(collector.tokens.back().term, "b");
        collector.tokens.pop_back();
      }
      ASSERT_EQ(collector.tokens.size(), (size + 254) / 255) << size;
      for (size_t i = 0; i < collector.tokens.size(); ++i) {
        const auto begin = static_cast<uint32_t>(i * 255);
        const uint32_t end = std::min(static_cast<uint32_t>(size), begin + 255);
        const OwnedToken expected = {std::string(end - begin, 'q'), static_cast<uint32_t>(i), begin,
                                     end};
        ASSERT_EQ(collector.tokens[i], expected) << size;
      }
    }
  }
}

TEST(WordTokenizer, CutsLongWordsThatPunctuationJoins) {
  ExpectPathsEqualOn<StandardRules>({"abcdefg.", "1.2", "0123456789,1", "a", "x'y", "_"}, 1'000, 9);
  EachPath<WordTokenizer<StandardRules>> paths;
  for (size_t size = 200; size < 300; ++size) {
    std::string text;
    while (text.size() < size) text += text.size() % 3 == 0 ? "a." : "a";
    text += 'a';
    paths.ExpectEqual(text);
    if (HasFatalFailure()) return;
  }
}

TEST(WordTokenizer, NoPieceEndsWithinACharacter) {
  WordTokenizer<StandardRules> tokenizer;
  for (size_t lead = 0; lead < 4; ++lead) {
    std::string word(lead, 'a');
    for (int i = 0; i < 300; ++i) word += "\U00010428";  // four bytes, folds to itself
    const std::vector<OwnedToken> tokens = Tokenized(tokenizer, word);
    ASSERT_EQ(tokens.front().term.size(), lead + (255 - lead) / 4 * 4);
    for (const OwnedToken& token : tokens) {
      ASSERT_NE(static_cast<unsigned char>(token.term.front()) & 0xC0, 0x80);
      ASSERT_EQ(token.term, word.substr(token.begin, token.end - token.begin));
    }
  }
}

TEST(WordTokenizer, AnEndlessWordGivesPiecesOfItself) {
  WordTokenizer<StandardRules> tokenizer;
  class Counter final : public TokenSink {
   public:
    void Accept(std::span<const Token> tokens) override {
      for (const Token& token : tokens) {
        whole += token.term.size() == kMaxTokenBytes ? 1 : 0;
        bytes += token.end - token.begin;
      }
    }
    size_t whole = 0;
    size_t bytes = 0;
  };
  for (const std::string_view unit : {"a", "é", "_a"}) {
    std::string text;
    while (text.size() < 3'000'000) text += unit;
    Counter counter;
    tokenizer.Tokenize(text, 0, counter);
    EXPECT_EQ(counter.bytes, text.size());
    EXPECT_GE(counter.whole + 1, unit == "é" ? 1U : text.size() / 255);
  }
}

TEST(WordTokenizer, AnEndlessClusterOfMarksIsCutAndNotLost) {
  WordTokenizer<StandardRules> tokenizer;
  std::string text = "a";
  while (text.size() < 100'000) text += "\u0301";
  size_t bytes = 0;
  for (const OwnedToken& token : Tokenized(tokenizer, text)) {
    ASSERT_LE(token.term.size(), kMaxTokenBytes);
    bytes += token.term.size();
  }
  EXPECT_EQ(bytes, text.size() - 1);  // the first mark composed with the letter
}

TEST(WordTokenizer, UnderscoresWithoutEndAreNoWord) {
  WordTokenizer<StandardRules> tokenizer;
  EXPECT_THAT(Tokenized(tokenizer, std::string(1'000'000, '_')), IsEmpty());
  EXPECT_EQ(Tokenized(tokenizer, std::string(1'000, '_') + "a").size(), 4U);
}

TEST(WordTokenizer, BatchesAreNeverEmptyAndNeverChangeATokenInTheMiddle) {
  WordTokenizer<StandardRules> tokenizer;
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "word" + std::to_string(i) + " ";
  text += std::string(40'000, 'b');
  TokenCollector collector;
  tokenizer.Tokenize(text, 0, collector);
  EXPECT_GT(collector.batches, 8U);
  EXPECT_GE(collector.smallest_batch, 1U);
  for (size_t i = 0; i < 1'000; ++i) {
    ASSERT_EQ(collector.tokens[i].term, "word" + std::to_string(i));
    ASSERT_EQ(collector.tokens[i].position, i);
  }
  TokenCollector nothing;
  EXPECT_EQ(tokenizer.Tokenize(" ... ", 3, nothing), 3U);
  EXPECT_EQ(nothing.batches, 0U);
}

TEST(WhitespaceTokenizer, SplitsAtUnicodeSpaceOnly) {
  constexpr char kText[] = "A.b\tC'd\u00a0É,f\u2003g\u3000h\u0085i\u2028j\0k\x7fl";
  EXPECT_THAT(Terms(AnalyzerKind::kWhitespace, std::string_view(kText, sizeof(kText) - 1)),
              ElementsAre("A.b", "C'd", "É,f", "g", "h", "i", std::string_view("j\0k\x7fl", 5)));
  EXPECT_THAT(Terms(AnalyzerKind::kWhitespace, "ﬁ\u200bＡ"), ElementsAre("ﬁ\u200bＡ"));
}

TEST(WhitespaceTokenizer, WritesReplacementCharactersForInvalidBytes) {
  const std::vector<OwnedToken> tokens = Tokens(AnalyzerKind::kWhitespace,
                                                "ab\xff"
                                                "c \xe2\x82 \xf0\x9f\x98"
                                                "d\xed\xa0\x80 e\xc3");
  EXPECT_THAT(tokens, ElementsAre(OwnedToken{"ab\ufffd"
                                             "c",
                                             0, 0, 4},
                                  OwnedToken{"\ufffd", 1, 5, 7},
                                  OwnedToken{"\ufffd"
                                             "d\ufffd\ufffd\ufffd",
                                             2, 8, 15},
                                  OwnedToken{"e\ufffd", 3, 16, 18}));
}

TEST(WhitespaceTokenizer, CutsLongWordsAtCharacterBorders) {
  for (const std::string_view unit : {"a", "é", "€", "\U0001f600", "\xff"}) {
    for (size_t lead = 0; lead < 4; ++lead) {
      std::string word(lead, 'x');
      while (word.size() < 2'000) word += unit;
      const size_t width = unit == "\xff" ? 3 : unit.size();
      const std::vector<OwnedToken> tokens = Tokens(AnalyzerKind::kWhitespace, word + " end");
      ASSERT_EQ(tokens.front().term.size(), lead + (255 - lead) / width * width);
      ASSERT_EQ(tokens.back().term, "end");
      uint64_t covered = 0;
      for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        ASSERT_EQ(tokens[i].begin, covered);
        ASSERT_EQ(tokens[i].position, i);
        ASSERT_LE(tokens[i].term.size(), kMaxTokenBytes);
        covered = tokens[i].end;
      }
      ASSERT_EQ(covered, word.size());
    }
  }
}

TEST(WhitespaceTokenizer, KeepsEveryByteOfValidWords) {
  std::mt19937_64 random(10);
  const std::vector<std::string> alphabet = Joined(NastyAscii(), NastyUnicode());
  for (int i = 0; i < 3'000; ++i) {
    const std::string text = RandomText(random, alphabet, 40);
    uint64_t previous_end = 0;
    for (const OwnedToken& token : Tokens(AnalyzerKind::kWhitespace, text)) {
      ASSERT_LE(previous_end, token.begin);
      ASSERT_EQ(token.term, text.substr(token.begin, token.end - token.begin));
      previous_end = token.end;
    }
  }
}

}  // namespace tokenizer_test
}  // namespace pmdex
