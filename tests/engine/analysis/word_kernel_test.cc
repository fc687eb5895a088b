#include "engine/analysis/word_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/analysis/tokenizer.h"
#include "pmem/cpu_features.h"
#include "tests/engine/analysis/guarded_text.h"
#include "tests/engine/analysis/random_text.h"
#include "tests/engine/analysis/tokenizer_paths.h"

namespace pmdex {
namespace word_kernel_test {

using testing::ElementsAre;

class AllTokenizers {
 public:
  // By every analyzer and path, with no slack before the text or behind it.
  void ExpectEqual(std::string_view text) {
    for (const auto side : {GuardedText::Side::kBegin, GuardedText::Side::kEnd}) {
      const GuardedText guarded(text, side);
      standard_.ExpectEqual(guarded.view());
      log_.ExpectEqual(guarded.view());
      whitespace_.ExpectEqual(guarded.view());
    }
  }

 private:
  EachPath<WordTokenizer<StandardRules>> standard_;
  EachPath<WordTokenizer<LogRules>> log_;
  EachPath<WhitespaceTokenizer> whitespace_;
};

TEST(WordKernel, EveryPathEqualsTheReferenceAtEveryTail) {
  std::mt19937_64 random(1);
  const std::vector<std::vector<std::string>> alphabets = {
      NastyAscii(),
      {"abc", "De1", " ", "  ", ".", "'", "_", "7", ",", "x"},
      Joined(Joined(NastyAscii(), NastyUnicode()), InvalidUtf8()),
      {"a", "B", "9", "_", " ", " ", "é", "\xff", ".", "'s"}};
  AllTokenizers all;
  for (size_t size = 0; size <= 200; ++size) {
    for (const std::vector<std::string>& alphabet : alphabets) {
      std::string text;
      while (text.size() < size) text += RandomText(random, alphabet, 20);
      all.ExpectEqual(std::string_view(text).substr(0, size));  // perhaps within a character
      if (HasFatalFailure()) return;
    }
  }
}

TEST(WordKernel, EveryPathEqualsTheReferenceOnLongTexts) {
  std::mt19937_64 random(2);
  const std::vector<std::string> words = {
      "The ",  "fox's ", "3.14 ",  "1,000; ", "a.b.c ",       "__init__ ", "x_1 ",
      "_ ",    "___, ",  "U.S.A.", "\n\n",    "            ", "naïve ",    "漢字",
      "don't", " \"",    "--",     "0xFF,",   "end",          "é.é "};
  AllTokenizers all;
  for (int i = 0; i < 300; ++i) {
    all.ExpectEqual(RandomText(random, words, 2'000));
    if (HasFatalFailure()) return;
  }
}

// A word of every size at every place of a chunk, with every kind of neighbour.
TEST(WordKernel, WordsAcrossChunksAreCutAlike) {
  const std::string letters = "AbcdefghijklmnopqrstuvwxyZ";
  AllTokenizers all;
  for (size_t before = 0; before <= 66; ++before) {
    for (const size_t size : {1, 2, 5, 61, 62, 63, 64, 65, 66, 127, 128, 129, 130}) {
      for (const std::string_view after : {"", " b", ".", ".b", ".é", "'", "_", "é", "\xff b"}) {
        std::string text(before, before % 3 == 0 ? '_' : ' ');
        for (size_t i = 0; i < size; ++i) text += letters[i % letters.size()];
        all.ExpectEqual(text + std::string(after));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(WordKernel, PunctuationAtEveryPlaceOfAChunkIsDecidedAlike) {
  AllTokenizers all;
  for (size_t before = 50; before <= 70; ++before) {
    for (const std::string_view middle :
         {".", "'", ",", ";", "..", "_.", "._", ".é", "é.", "_", "__", "_'_", ".\xcc\x81"}) {
      for (const std::string_view ends : {"ab", "12", "a1", "_a", "_ "}) {
        const std::string text = std::string(before, ' ') + "x" + std::string(ends) +
                                 std::string(middle) + std::string(ends) + " yz";
        all.ExpectEqual(text);
        all.ExpectEqual(std::string(before, '_') + text.substr(before));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(WordKernel, LongestWordsAreCutAlike) {
  AllTokenizers all;
  for (size_t size = 250; size <= 260; ++size) {
    for (size_t before = 0; before < 64; before += 7) {
      for (const std::string_view unit : {"a", "A.", "1,", "b_", "é", "_"}) {
        std::string text(before, ' ');
        while (text.size() < before + size) text += unit;
        all.ExpectEqual(text.substr(0, before + size));
        all.ExpectEqual(text.substr(0, before + size) + ". Next words");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(WordKernel, EveryByteIsOfTheSameClassOnEveryPath) {
  AllTokenizers all;
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::string_view pattern : {"?", "a?b", "1?2", "a? ?b", "?? x ??", "1?a ?1"}) {
      std::string text(60, ' ');
      text += pattern;
      for (char& c : text) {
        if (c == '?') c = static_cast<char>(byte);
      }
      all.ExpectEqual(text);
      if (HasFatalFailure()) return;
    }
  }
}

// The distances between the terms of a text, as they lie in memory.
class TermDistances final : public TokenSink {
 public:
  void Accept(std::span<const Token> tokens) override {
    for (size_t i = 1; i < tokens.size(); ++i) {
      distances.push_back(tokens[i].term.data() - tokens[i - 1].term.data());
    }
  }
  std::vector<ptrdiff_t> distances;
};

// A kernel copies its text with the gaps in it, where the scalar code packs the terms. So the
// distances show which of them ran; the addresses tell the kernels apart.
TEST(WordKernel, RunsOnTheVectorLevelsAndOnNoOther) {
  std::set<WordKernel> kernels;
  for (const SimdLevel level : UsableSimdLevels()) {
    TermDistances sink;
    NewAnalyzer(AnalyzerKind::kStandard, level)->Analyze("ab   cdef  gh", 0, sink);
    if (level == SimdLevel::kScalar) {
      EXPECT_THAT(sink.distances, ElementsAre(2, 4)) << ToString(level);
      EXPECT_EQ(WordKernelsOf(level).standard, nullptr);
    } else {
      EXPECT_THAT(sink.distances, ElementsAre(5, 6)) << ToString(level);
      EXPECT_TRUE(kernels.insert(WordKernelsOf(level).standard).second) << ToString(level);
    }
  }
}

}  // namespace word_kernel_test
}  // namespace pmdex
