#include "tools/server/elasticsearch/search/passages.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace passages_test {

// The passages around each place of the word.
std::vector<std::string> Around(const std::string& text, const std::string& word,
                                std::optional<size_t> size) {
  std::vector<uint32_t> characters;
  DecodeCodePoints(text, characters);
  std::vector<PassageMatch> matches;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    matches.push_back({at, at + word.size(), 0});
  }
  const std::vector<uint32_t> frequencies = {static_cast<uint32_t>(matches.size())};
  std::vector<std::string> out;
  for (const Passage& passage :
       PassagesOf({characters, 0, characters.size()}, matches, frequencies, size)) {
    out.push_back(text.substr(passage.begin, passage.end - passage.begin));
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Passages, AreSentences) {
  const std::string text = "One fox. Two dogs! A third fox? v. small";
  EXPECT_EQ(Around(text, "fox", 13), (Texts{"One fox. ", "A third fox? "}));
  EXPECT_EQ(Around(text, "small", 20), (Texts{"v. small"}));
}

TEST(Passages, JoinSentencesUpToTheirSize) {
  const std::string text = "One fox. Two dogs. A third fox. The end.";
  EXPECT_EQ(Around(text, "fox", 20), (Texts{"One fox. Two dogs. ", "A third fox. "}));
  EXPECT_EQ(Around(text, "fox", 100), (Texts{text}));
}

TEST(Passages, CutLongSentencesAtWords) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word ";
  text += "fox ";
  for (int i = 0; i < 40; ++i) text += "word ";
  const Texts found = Around(text, "fox", 30);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("fox"), std::string::npos);
  EXPECT_LE(found[0].size(), 65u);
}

TEST(Passages, AreTheWholeTextWithoutASize) {
  EXPECT_EQ(Around("One fox. Two foxes.", "fox", std::nullopt), (Texts{"One fox. Two foxes."}));
}

TEST(Passages, AreSingleSentencesOfTheSizeNought) {
  const std::string text = "One fox, a second fox and no more. A dog. Two foxes.";
  EXPECT_EQ(Around(text, "fox", 0), (Texts{"One fox, a second fox and no more. ", "Two foxes."}));
}

TEST(Passages, HoldEveryMatchOnceInRandomTexts) {
  uint64_t state = 5;
  const auto next = [&state](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<uint32_t> characters;
    for (uint64_t i = 0, n = next(200); i < n; ++i) characters.push_back("ab .?\nC"[next(7)]);
    std::vector<PassageMatch> matches;
    for (size_t at = next(9); at + 1 < characters.size(); at += 1 + next(30)) {
      matches.push_back({at, at + 1, 0});
    }
    const std::vector<uint32_t> frequencies = {1};
    const auto passages =
        PassagesOf({characters, 0, characters.size()}, matches, frequencies, 1 + next(40));
    size_t held = 0;
    size_t last_end = 0;
    for (const Passage& passage : passages) {
      ASSERT_GE(passage.begin, last_end);
      ASSERT_LE(passage.end, characters.size());
      last_end = passage.end;
      for (const PassageMatch& match : passage.matches) {
        ASSERT_GE(match.begin, passage.begin);
        ASSERT_LT(match.begin, passage.end);
        ++held;
      }
    }
    ASSERT_EQ(held, matches.size());
  }
}

}  // namespace passages_test
}  // namespace pmdex
