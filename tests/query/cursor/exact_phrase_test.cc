#include "query/cursor/exact_phrase.h"

#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace exact_phrase_test {

using Positions = std::vector<std::vector<uint32_t>>;

float Count(const std::vector<uint32_t>& offsets, const Positions& positions) {
  return ExactPhraseMatcher(offsets).Frequency(positions);
}

TEST(ExactPhrase, CountsEveryStart) {
  EXPECT_EQ(Count({0, 1}, {{0, 4, 9}, {1, 5, 8}}), 2);
  EXPECT_EQ(Count({0, 1}, {{1}, {0}}), 0);
  EXPECT_EQ(Count({0, 1}, {{}, {0}}), 0);
}

TEST(ExactPhrase, KeepsTheGaps) {
  EXPECT_EQ(Count({0, 2}, {{3}, {5}}), 1);
  EXPECT_EQ(Count({0, 2}, {{3}, {4}}), 0);
}

TEST(ExactPhrase, CountsOverlapsOfRepeatedTerms) {
  // The phrase "a a" in the document "a a a".
  EXPECT_EQ(Count({0, 1}, {{0, 1, 2}, {0, 1, 2}}), 2);
}

TEST(ExactPhrase, LooksBeforeTheBeginningWithoutFindingAnything) {
  EXPECT_EQ(Count({0, 5}, {{0, 1, 2}, {3}}), 0);
}

}  // namespace exact_phrase_test
}  // namespace pmdex
