#include "engine/analysis/analyzer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "tests/engine/analysis/guarded_text.h"
#include "tests/engine/analysis/random_text.h"
#include "tests/engine/analysis/token_collector.h"

namespace pmdex {
namespace analyzer_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr AnalyzerKind kKinds[] = {AnalyzerKind::kStandard, AnalyzerKind::kWhitespace,
                                   AnalyzerKind::kEnglish, AnalyzerKind::kLog};

TEST(Analyzer, NamesAndKindsGoBothWays) {
  for (const AnalyzerKind kind : kKinds) {
    EXPECT_EQ(ParseAnalyzerKind(ToString(kind)).value(), kind);
    EXPECT_EQ(NewAnalyzer(kind)->kind(), kind);
  }
  const absl::StatusOr<AnalyzerKind> unknown = ParseAnalyzerKind("Standard");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(unknown.status())), HasSubstr("\"Standard\""));
}

TEST(StandardAnalyzer, FoldsTheWordsOfManyScripts) {
  EXPECT_THAT(
      Terms(AnalyzerKind::kStandard,
            "The Quick-Brown fox's 3.14 Straße ＡＢＣ１２ ﬁn ΣΊΣΥΦΟΣ cafe\u0301 a\u00adb 漢字"),
      ElementsAre("the", "quick", "brown", "fox's", "3.14", "strasse", "abc12", "fin", "σίσυφοσ",
                  "café", "ab", "漢", "字"));
}

TEST(StandardAnalyzer, GivesNoTokenForAWordThatFoldsToNothing) {
  EXPECT_THAT(Terms(AnalyzerKind::kStandard, "a \u00ad \u115f b"), ElementsAre("a", "b"));
  EXPECT_THAT(Terms(AnalyzerKind::kLog, "a \u034f\u034f b"), ElementsAre("a", "b"));
}

TEST(StandardAnalyzer, GivesByteOffsetsOfTheOriginal) {
  EXPECT_THAT(Tokens(AnalyzerKind::kStandard, "ß, ﬁn 漢"),
              ElementsAre(OwnedToken{"ss", 0, 0, 2}, OwnedToken{"fin", 1, 4, 8},
                          OwnedToken{"漢", 2, 9, 12}));
}

TEST(StandardAnalyzer, TakesControlAndInvalidBytesForDelimiters) {
  EXPECT_THAT(Terms(AnalyzerKind::kStandard, std::string_view("a\0b\x01"
                                                              "c\xff"
                                                              "d\x7f"
                                                              "e",
                                                              9)),
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST(LogAnalyzer, SplitsPathsIntoLettersAndDigits) {
  EXPECT_THAT(Terms(AnalyzerKind::kLog, "/var/log/app-1.2"),
              ElementsAre("var", "log", "app", "1", "2"));
  EXPECT_THAT(Terms(AnalyzerKind::kLog, "user_ID=0xFFé [Größe] can't"),
              ElementsAre("user", "id", "0xffé", "grösse", "can", "t"));
}

TEST(EnglishAnalyzer, LeavesThePositionsOfStopWordsEmpty) {
  EXPECT_THAT(Tokens(AnalyzerKind::kEnglish, "The runners ran to the Foxes"),
              ElementsAre(OwnedToken{"runner", 1, 4, 11}, OwnedToken{"ran", 2, 12, 15},
                          OwnedToken{"fox", 5, 23, 28}));
}

TEST(EnglishAnalyzer, CountsStopWordsAtTheEndAndSendsNoEmptyBatch) {
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(AnalyzerKind::kEnglish);
  TokenCollector collector;
  EXPECT_EQ(analyzer->Analyze("of the", 10, collector), 12U);
  EXPECT_EQ(collector.batches, 0U);
  EXPECT_EQ(analyzer->Analyze("words and", 12, collector), 14U);
  EXPECT_THAT(collector.tokens, ElementsAre(OwnedToken{"word", 12, 0, 5}));
  EXPECT_EQ(analyzer->Analyze("", 14, collector), 14U);
}

TEST(EnglishAnalyzer, RemovesStopWordsBeforeItStems) {
  // "being" stems to "be", "willing" to "will": both stay.
  EXPECT_THAT(Terms(AnalyzerKind::kEnglish, "being willing THIS"), ElementsAre("be", "will"));
}

TEST(Analyzer, NormalizesTermsLikeTokensButNeitherSplitsNorStems) {
  for (const AnalyzerKind kind :
       {AnalyzerKind::kStandard, AnalyzerKind::kEnglish, AnalyzerKind::kLog}) {
    EXPECT_EQ(NewAnalyzer(kind)->Normalize("Running-Straße of"), "running-strasse of");
  }
  EXPECT_EQ(NewAnalyzer(AnalyzerKind::kWhitespace)->Normalize("Straße ﬁ"), "Straße ﬁ");
}

TEST(Analyzer, AnalysesTheSameTextTheSameAfterAnyOther) {
  std::mt19937_64 random(1);
  const std::vector<std::string> alphabet =
      Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8());
  for (const AnalyzerKind kind : kKinds) {
    const std::unique_ptr<Analyzer> used = NewAnalyzer(kind);
    for (int i = 0; i < 500; ++i) {
      const std::string text = RandomText(random, alphabet, 400);
      TokenCollector collector;
      used->Analyze(text, 0, collector);
      ASSERT_EQ(collector.tokens, Tokens(kind, text)) << ToString(kind);
    }
  }
}

TEST(Analyzer, TokensAreOrderedAndWithinTheirBounds) {
  std::mt19937_64 random(2);
  const std::vector<std::string> alphabet =
      Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8());
  for (const AnalyzerKind kind : kKinds) {
    for (int i = 0; i < 500; ++i) {
      const std::string text = RandomText(random, alphabet, 100);
      uint64_t end = 0;
      int64_t position = -1;
      for (const OwnedToken& token : Tokens(kind, text)) {
        ASSERT_GE(token.begin, end);
        ASSERT_GT(static_cast<int64_t>(token.position), position);
        ASSERT_FALSE(token.term.empty());
        ASSERT_LE(token.term.size(), kMaxTokenBytes);
        end = token.end;
        position = token.position;
      }
      ASSERT_LE(end, text.size());
    }
  }
}

// Reads of every term what analyzer.h allows.
class TermLoader final : public TokenSink {
 public:
  void Accept(std::span<const Token> batch) override {
    for (const Token& token : batch) {
      std::array<char, kReadableTermBytes> bytes;
      std::memcpy(bytes.data(), token.term.data(), kReadableTermBytes);
      const std::string_view head = token.term.substr(0, kReadableTermBytes);
      ASSERT_EQ(std::string_view(bytes.data(), head.size()), head);
      // The rest is of no value but must be there: its sum keeps the load alive.
      for (const char c : bytes) sum = sum + static_cast<unsigned char>(c);
    }
  }
  volatile size_t sum = 0;
};

// The text ends where memory does, so whatever reads behind it dies in every build; behind the
// buffers of an analyzer AddressSanitizer watches.
TEST(Analyzer, EveryTermCanBeReadForSixteenBytes) {
  const std::vector<std::string> words = {"a", "Running", "x1", "ﬁ", "éÿ", "flies.", "3.14 "};
  for (const AnalyzerKind kind : kKinds) {
    const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(kind);
    for (size_t size = 0; size < 150; ++size) {
      for (const std::string& word : words) {
        std::string text;
        while (text.size() < size) text += word + (text.size() % 3 == 0 ? "" : " ");
        const GuardedText at_end(text, GuardedText::Side::kEnd);
        const GuardedText at_begin(text, GuardedText::Side::kBegin);
        TermLoader sink;
        analyzer->Analyze(at_end.view(), 0, sink);
        analyzer->Analyze(at_begin.view(), 0, sink);
      }
    }
  }
}

TEST(AnalyzerDeathTest, RefusesATextThatOffsetsCannotReach) {
  for (const AnalyzerKind kind : kKinds) {
    const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(kind);
    TokenCollector collector;
    const std::string_view too_long("never read", kMaxTextBytes + 1);
    EXPECT_DEATH(analyzer->Analyze(too_long, 0, collector), "broken invariant");
  }
}

TEST(Analyzer, FindsNoTokenInNothing) {
  for (const AnalyzerKind kind : kKinds) {
    EXPECT_THAT(Tokens(kind, ""), IsEmpty());
    EXPECT_THAT(Tokens(kind, std::string_view()), IsEmpty());
    EXPECT_THAT(Tokens(kind, " \n\t\r "), IsEmpty());
  }
}

TEST(Analyzer, NormalizesInvalidBytesToWhatTokensHave) {
  const std::string text = "a\xff\xc3(\xed\xa0\x80z";
  for (const AnalyzerKind kind : {AnalyzerKind::kWhitespace, AnalyzerKind::kStandard}) {
    const std::string normal = NewAnalyzer(kind)->Normalize(text);
    EXPECT_EQ(normal, "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
  }
  EXPECT_EQ(Terms(AnalyzerKind::kWhitespace, text),
            std::vector<std::string>{NewAnalyzer(AnalyzerKind::kWhitespace)->Normalize(text)});
}

}  // namespace analyzer_test
}  // namespace pmdex
