#include "tools/server/elasticsearch/search/highlight_phrase.h"

#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace highlight_phrase_test {

// The text with `*` before each word that is marked. Words stand at the positions 0, 1, ...
std::string Marked(const std::string& text, const HighlightPhrase& phrase) {
  std::vector<HighlightToken> tokens;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    tokens.push_back({word, static_cast<uint32_t>(tokens.size()), 0, 0});
  }
  std::vector<bool> found(tokens.size());
  MarkPhrase(phrase, tokens, found);
  std::string out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) out += ' ';
    if (found[i]) out += '*';
    out += tokens[i].term;
  }
  return out;
}

TEST(HighlightPhrase, WordsStandAtTheirOffsetsWithoutSlop) {
  EXPECT_EQ(Marked("a b a c b a b", {{"a", "b"}, {0, 1}, 0, false}), "*a *b a c b *a *b");
  EXPECT_EQ(Marked("a x b a b", {{"a", "b"}, {0, 2}, 0, false}), "*a x *b a b");
  EXPECT_EQ(Marked("b a", {{"a", "b"}, {0, 1}, 0, false}), "b a");
  EXPECT_EQ(Marked("a a a", {{"a", "a"}, {0, 1}, 0, false}), "*a *a *a");
}

TEST(HighlightPhrase, OtherWordsStandBetweenWithinTheSlop) {
  EXPECT_EQ(Marked("a x b", {{"a", "b"}, {0, 1}, 1, false}), "*a x *b");
  EXPECT_EQ(Marked("a x x b", {{"a", "b"}, {0, 1}, 1, false}), "a x x b");
  EXPECT_EQ(Marked("b x a x x b", {{"a", "b"}, {0, 1}, 1, false}), "*b x *a x x b");
  EXPECT_EQ(Marked("a x x b", {{"a", "b"}, {0, 2}, 1, false}), "*a x x *b")
      << "the gap of the phrase adds to its slop";
}

TEST(HighlightPhrase, WordsThatAreNearButInNoWindowAreNotMarked) {
  // Each word is within the slop of the next one, but the three have five others between them.
  EXPECT_EQ(Marked("a x x b x x x c", {{"a", "b", "c"}, {0, 1, 2}, 4, false}), "a x x b x x x c");
  EXPECT_EQ(Marked("a x x b x x x c", {{"a", "b", "c"}, {0, 1, 2}, 5, false}),
            "*a x x *b x x x *c");
  EXPECT_EQ(Marked("a b x x x x a c b", {{"a", "b", "c"}, {0, 1, 2}, 1, false}),
            "a b x x x x *a *c *b");
}

TEST(HighlightPhrase, TheLastWordMayBeAPrefix) {
  EXPECT_EQ(Marked("a bcd b ax", {{"a", "b"}, {0, 1}, 0, true}), "*a *bcd b ax");
  EXPECT_EQ(Marked("a x bcd x b", {{"a", "b"}, {0, 1}, 1, true}), "*a x *bcd x b");
}

TEST(HighlightPhrase, MarksNothingWhereAWordIsMissing) {
  EXPECT_EQ(Marked("a x", {{"a", "b"}, {0, 1}, 9, false}), "a x");
  EXPECT_EQ(Marked("", {{"a", "b"}, {0, 1}, 9, false}), "");
}

}  // namespace highlight_phrase_test
}  // namespace pmdex
