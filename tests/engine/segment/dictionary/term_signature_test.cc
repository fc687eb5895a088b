#include "engine/segment/dictionary/term_signature.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/analysis/code_points.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace term_signature_test {

TermSignature LengthOf(TermSignature signature) {
  return signature & kMaxSignatureLength;
}
int ClassesOf(TermSignature signature) {
  return std::popcount(signature & ~kMaxSignatureLength);
}

TEST(TermSignature, HasTheLengthInCharactersAndABitForEachClass) {
  EXPECT_EQ(LengthOf(SignatureOf("kernel")), 6u);
  EXPECT_EQ(ClassesOf(SignatureOf("kernel")), 5);
  EXPECT_EQ(SignatureOf("kernel"), SignatureOf("KERNEL"));
  EXPECT_EQ(SignatureOf("kernel"), SignatureOf("lenrek"));
  EXPECT_EQ(SignatureOf("jab"), SignatureOf("1a5"));  // these share classes
  EXPECT_EQ(LengthOf(SignatureOf("\u00e9\u20ac\U0001f600x")), 4u);
  EXPECT_EQ(ClassesOf(SignatureOf("\u00e9\u20ac\U0001f600x")), 4);
  EXPECT_EQ(LengthOf(SignatureOf("\xff\xc3z")), 3u);  // stray bytes
  EXPECT_EQ(LengthOf(SignatureOf(std::string(31, 'a'))), kMaxSignatureLength);
  EXPECT_EQ(SignatureOf(std::string(31, 'a')), SignatureOf(std::string(200, 'a')));
  EXPECT_EQ(SignatureOf(""), 0u);
}

TEST(TermSignature, BoundsTheEdits) {
  const auto least = [](std::string_view a, std::string_view b) {
    EXPECT_EQ(LeastEdits(SignatureOf(a), SignatureOf(b)),
              LeastEdits(SignatureOf(b), SignatureOf(a)));
    return LeastEdits(SignatureOf(a), SignatureOf(b));
  };
  EXPECT_EQ(least("kernel", "kernel"), 0);
  EXPECT_EQ(least("kernel", "kernels"), 1);
  EXPECT_EQ(least("kernel", "kernal"), 1);
  EXPECT_EQ(least("kernel", "krenel"), 0);  // swapped: the same characters
  EXPECT_EQ(least("kernel", "colonel"), 3);
  EXPECT_EQ(least("a", "abcdef"), 5);
  EXPECT_EQ(least("abc", "xyz"), 3);
  EXPECT_EQ(least("", ""), 0);
}

// One edit at a random place.
void Edit(SeededRandom& random, std::vector<std::string>& characters,
          const std::vector<std::string>& alphabet) {
  const std::string& some = alphabet[random.Below(alphabet.size())];
  const size_t at = random.Below(characters.size() + 1);
  const auto place = characters.begin() + static_cast<ptrdiff_t>(at);
  if (at == characters.size() || random.OneIn(4)) {
    characters.insert(place, some);
  } else if (random.OneIn(3)) {
    characters.erase(place);
  } else if (random.OneIn(2) || at + 1 == characters.size()) {
    *place = some;
  } else {
    std::swap(place[0], place[1]);
  }
}

TEST(TermSignature, NeverExceedsTheEditsThatWereMade) {
  const std::vector<std::string> alphabets[] = {
      {"a", "b", "c"},
      {"a", "e", "i", "n", "r", "s", "t", "x", "q", "0", "1", "7", "_", "/", "Z"},
      {"a", "\u00e9", "\u00ea", "\u20ac", "\U0001f600", "\u0430", "\u0431", "\u4e2d"},
  };
  SeededRandom random(1);
  size_t exact = 0;
  for (const auto& alphabet : alphabets) {
    for (int round = 0; round < 20000; ++round) {
      std::vector<std::string> characters;
      for (size_t n = random.Below(round % 10 == 0 ? 40 : 10); n > 0; --n) {
        characters.push_back(alphabet[random.Below(alphabet.size())]);
      }
      std::string before;
      for (const std::string& c : characters) before += c;
      const int edits = static_cast<int>(random.Below(4));
      for (int i = 0; i < edits; ++i) Edit(random, characters, alphabet);
      std::string after;
      for (const std::string& c : characters) after += c;
      const int least = LeastEdits(SignatureOf(before), SignatureOf(after));
      ASSERT_LE(least, edits) << before << " " << after;
      exact += least == edits ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 10000u);  // the bound is worth something
}

}  // namespace term_signature_test
}  // namespace pmdex
