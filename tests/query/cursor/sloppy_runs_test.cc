// Phrases with slop whose words are all different, against the matcher that follows the definition
// step by step.
#include "query/cursor/sloppy_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/sloppy_phrase.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace sloppy_runs_test {

// Words of a phrase with their offsets and their positions in a document.
struct Document {
  std::vector<std::string> terms;
  std::vector<uint32_t> offsets;
  std::vector<std::vector<uint16_t>> positions;

  float Expected(uint32_t slop) const {
    std::vector<std::vector<uint32_t>> wide;
    for (const auto& run : positions) wide.emplace_back(run.begin(), run.end());
    return SloppyPhraseMatcher(terms, offsets, slop).Frequency(wide);
  }
  std::vector<PositionRun> Runs() const { return {positions.begin(), positions.end()}; }

  // The positions of a word that have one of each other word within the slop.
  std::vector<uint16_t> Near(size_t word, uint32_t slop) const {
    std::vector<uint16_t> near;
    for (const uint16_t position : positions[word]) {
      bool has_all = true;
      for (size_t i = 0; i < positions.size(); ++i) {
        has_all = has_all && std::any_of(positions[i].begin(), positions[i].end(), [&](int other) {
                    const int away = other - static_cast<int>(offsets[i]) - position +
                                     static_cast<int>(offsets[word]);
                    return std::abs(away) <= static_cast<int>(slop);
                  });
      }
      if (has_all) near.push_back(position);
    }
    return near;
  }
};

// Most terms are at places of their own, and some of several terms at the same one.
Document RandomDocument(SeededRandom& random) {
  Document document;
  uint32_t offset = static_cast<uint32_t>(random.Below(3));
  const size_t places = 4 + random.Below(random.Below(4) == 0 ? 400 : 40);
  for (size_t word = 0, words = 2 + random.Below(4); word < words; ++word) {
    document.terms.push_back("t" + std::to_string(word));
    document.offsets.push_back(offset);
    offset += static_cast<uint32_t>(random.Below(3));
    std::set<uint16_t> run;
    for (size_t n = 1 + random.Below(1 + random.Below(60)); n > 0; --n) {
      run.insert(static_cast<uint16_t>(random.Below(places)));
    }
    document.positions.emplace_back(run.begin(), run.end());
  }
  return document;
}

TEST(SloppyRuns, EqualTheDefinitionToTheBit) {
  SeededRandom random(21);
  size_t matches = 0;
  for (int round = 0; round < 60000; ++round) {
    const Document document = RandomDocument(random);
    const auto slop = static_cast<uint32_t>(1 + random.Below(6));
    const float expected = document.Expected(slop);
    SloppyRuns runs(document.offsets, slop);
    ASSERT_EQ(runs.Frequency(document.Runs()), expected) << "round " << round << "~" << slop;
    ASSERT_EQ(runs.Frequency(document.Runs()), expected) << "a second time";
    ASSERT_EQ(runs.Matches(document.Runs()), expected > 0) << "round " << round << "~" << slop;
    matches += expected > 0 ? 1 : 0;
    const size_t word = random.Below(document.positions.size());
    const std::vector<uint16_t> near = document.Near(word, slop);
    ASSERT_TRUE(expected == 0 || !near.empty()) << "round " << round << "~" << slop;
    if (near.empty()) continue;
    ASSERT_EQ(runs.Matches(document.Runs(), {word, near}), expected > 0) << round << "~" << slop;
  }
  EXPECT_GT(matches, 20000u);
  EXPECT_LT(matches, 59000u);
}

TEST(SloppyRuns, BoundTheFrequencyByThatOfEachTerm) {
  SeededRandom random(22);
  float nearest = 0;
  for (int round = 0; round < 30000; ++round) {
    const Document document = RandomDocument(random);
    const auto slop = static_cast<uint32_t>(1 + random.Below(6));
    SloppyRuns runs(document.offsets, slop);
    const float frequency = runs.Frequency(document.Runs());
    for (const auto& run : document.positions) {
      const float bound = runs.FrequencyBound(static_cast<float>(run.size()));
      ASSERT_LE(frequency, bound) << "round " << round << "~" << slop;
      nearest = std::max(nearest, frequency / bound);
    }
  }
  EXPECT_GT(nearest, 0.4f) << "the bound is far from what occurs";
}

// The words of lines that are alike often stand one behind the other as in the phrase, so that the
// last ones before a place are equal.
TEST(SloppyRuns, EqualTheDefinitionInRepeatedLines) {
  SeededRandom random(24);
  size_t matches = 0;
  for (int round = 0; round < 20000; ++round) {
    Document document{{"a", "b", "c"}, {0, 1, 2}, {{}, {}, {}}};
    for (uint32_t line = 0, at = 0, lines = 1 + random.Below(60); line < lines; ++line) {
      const bool has_all = random.OneIn(6);
      for (uint16_t word = 0; word < 3; ++word) {
        const bool is_here = word == 1 ? has_all : !random.OneIn(9);
        if (is_here) document.positions[word].push_back(static_cast<uint16_t>(at + word));
      }
      at += 3 + random.Below(random.OneIn(9) ? 9 : 2);
    }
    if (document.positions[0].empty() || document.positions[1].empty()) continue;
    if (document.positions[2].empty()) continue;
    const auto slop = static_cast<uint32_t>(1 + random.Below(4));
    const float expected = document.Expected(slop);
    const std::vector<uint16_t> near = document.Near(1, slop);
    SloppyRuns runs(document.offsets, slop);
    ASSERT_EQ(runs.Frequency(document.Runs()), expected) << round << "~" << slop;
    ASSERT_TRUE(expected == 0 || !near.empty());
    if (near.empty()) continue;
    ASSERT_EQ(runs.Matches(document.Runs(), {1, near}), expected > 0) << round << "~" << slop;
    matches += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(matches, 5000u);
}

// With a slop that has too many places for bits, too.
TEST(SloppyRuns, MatchNearPositionsForEverySlop) {
  const std::vector<uint32_t> offsets = {0, 1, 2};
  const std::vector<uint16_t> first = {100};
  for (uint32_t slop = 1; slop < 70; ++slop) {
    for (const uint32_t apart : {slop, slop + 1}) {
      const std::vector<uint16_t> second = {static_cast<uint16_t>(101 + apart / 2)};
      const std::vector<uint16_t> third = {
          static_cast<uint16_t>(102 - static_cast<int>(apart - apart / 2))};
      const std::vector<PositionRun> positions = {first, second, third};
      SloppyRuns runs(offsets, slop);
      EXPECT_EQ(runs.Matches(positions, {0, first}), apart == slop) << slop;
      EXPECT_EQ(runs.Frequency(positions) > 0, apart == slop) << slop;
    }
  }
}

// A bound that adds a number for every length up to the slop would make this test take a minute.
TEST(SloppyRuns, BoundFrequenciesOfTheGreatestSlop) {
  const std::vector<uint32_t> offsets = {0, 1};
  const std::vector<uint16_t> first = {0};
  const std::vector<uint16_t> second = {65535};
  const std::vector<PositionRun> positions = {first, second};
  for (const uint32_t slop : {65534u, 65535u, 1u << 31, UINT32_MAX}) {
    SloppyRuns runs(offsets, slop);
    EXPECT_FLOAT_EQ(runs.Frequency(positions), 1.0f / 65535) << slop;
    for (int i = 0; i < 10; ++i) {
      EXPECT_GE(runs.FrequencyBound(1), 1.0f / 65535);
      EXPECT_LE(runs.FrequencyBound(1), 14.0f);  // 1 + ln(65,536) and what rounding may add
    }
  }
}

TEST(SloppyRuns, SurviveRunsThatDoNotAscend) {
  SeededRandom random(23);
  for (int round = 0; round < 5000; ++round) {
    Document document = RandomDocument(random);
    for (auto& run : document.positions) {
      for (uint16_t& position : run) position = static_cast<uint16_t>(random.Below(0x10000));
    }
    SloppyRuns runs(document.offsets, static_cast<uint32_t>(1 + random.Below(6)));
    ASSERT_GE(runs.Frequency(document.Runs()), 0);
    const SloppyRuns::NearPositions near{0, document.positions[0]};
    runs.Matches(document.Runs(), near);
  }
}

}  // namespace sloppy_runs_test
}  // namespace pmdex
