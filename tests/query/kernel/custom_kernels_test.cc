// The kernels for formulas of a program: each by itself, and whole searches against those by the
// built-in formulas and against scoring every match.
#include "query/kernel/custom_kernels.h"

#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/searcher.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_search.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace custom_kernels_test {

// The built-in BM25, as a program would write it.
class SameAsBm25 final : public ScoreFormulas {
 public:
  float TermWeight(uint64_t df, uint64_t n) const override {
    return InverseDocumentFrequency(SimilarityKind::kBm25, df, n);
  }
  float LengthFactor(float length, float average) const override {
    return 1.0f / (kBm25K1 * ((1.0f - kBm25B) + kBm25B * length / average));
  }
  float Score(float weight, float freq, float length) const override {
    return weight - weight / (1.0f + freq * length);
  }
};

// Pivoted length normalization, whose scores have no limit.
class Pivoted final : public ScoreFormulas {
 public:
  float TermWeight(uint64_t df, uint64_t n) const override {
    return std::log(static_cast<float>(n + 1) / static_cast<float>(df));
  }
  float LengthFactor(float length, float average) const override {
    return 1.0f / (0.8f + 0.2f * length / average);
  }
  float Score(float weight, float freq, float length) const override {
    return weight * std::log1p(std::log1p(freq)) * length;  // of a phrase freq may be a fraction
  }
};

// Counts words, so that very many documents score the same.
class Counted final : public ScoreFormulas {
 public:
  float TermWeight(uint64_t, uint64_t) const override { return 1; }
  float LengthFactor(float, float) const override { return 1; }
  float Score(float weight, float freq, float) const override {
    return weight * std::min(freq, 3.0f);
  }
};

class CustomKernels : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
    kernels_ = &CustomQueryKernels(GetParam());
  }
  TermScorer Scorer(float weight) const {
    return {SimilarityKind::kCustom, weight, &lengths_, &formulas_};
  }

  const Pivoted formulas_{};
  const LengthTable lengths_ =
      MakeLengthTable(SimilarityChoice(formulas_), FieldStatistics{1000, 120000, 50000});
  const QueryKernels* kernels_ = nullptr;
  SeededRandom random_{3};
};

TEST_P(CustomKernels, HaveTheLevelAndItsOtherLoops) {
  const QueryKernels& standard = QueryKernelsOf(GetParam());
  EXPECT_EQ(kernels_->level, GetParam());
  EXPECT_EQ(kernels_->filter_postings, standard.filter_postings);
  EXPECT_NE(kernels_->score_postings, standard.score_postings);
}

TEST_P(CustomKernels, LeastFreqsAreExact) {
  for (int round = 0; round < 30; ++round) {
    const TermScorer scorer = Scorer(round % 2 == 0 ? 0.3f : 4.0f);
    const float needed = scorer.Score(static_cast<float>(1 + random_.Below(300)),
                                      static_cast<uint8_t>(random_.Below(256)));
    LeastFreqs table;
    LeastFreqs beside;
    LengthBounds others;
    others.of.fill(needed / 4);
    kernels_->least_freqs(scorer, needed, table);
    kernels_->least_freqs_beside(scorer, needed + needed / 4, others, beside);
    for (size_t code = 0; code < 256; ++code) {
      uint32_t least = 1;
      const auto c = static_cast<uint8_t>(code);
      while (least < 255 && scorer.Score(static_cast<float>(least), c) < needed) ++least;
      EXPECT_EQ(table.least[code], least);
      EXPECT_LE(beside.least[code], least) << "what reaches the score passes";
      EXPECT_GE(beside.least[code] + 1u, least) << "and hardly more";
    }
  }
  LeastFreqs all;
  kernels_->least_freqs(Scorer(1), 0, all);
  EXPECT_EQ(all.least[7], 0);
}

TEST_P(CustomKernels, BoundsAndScoresAreThoseOfTheFormulas) {
  const TermScorer scorer = Scorer(2);
  constexpr float kEscaped = 700;
  std::vector<BoundPoints> blocks(9);
  std::vector<float> bounds(blocks.size() + 16);
  for (BoundPoints& block : blocks) {
    for (int p = 0; p < 4; ++p) {
      block.tf[p] = static_cast<uint8_t>(p == 3 ? 0 : 1 + random_.Below(255));
      block.length_code[p] = static_cast<uint8_t>(random_.Below(256));
    }
  }
  const auto count = static_cast<uint32_t>(blocks.size());
  LengthBounds by_length;
  kernels_->block_bounds(blocks.data(), count, scorer, kEscaped, bounds.data());
  kernels_->length_bounds(blocks.data(), count, scorer, kEscaped, by_length);
  for (size_t i = 0; i < blocks.size(); ++i) {
    float most = 0;
    for (int p = 0; p < 3; ++p) {
      const uint8_t tf = blocks[i].tf[p];
      const float score = scorer.Score(tf == kFreqEscape ? kEscaped : tf, blocks[i].length_code[p]);
      most = std::max(most, score);
      EXPECT_GE(by_length.of[blocks[i].length_code[p]], score);
    }
    EXPECT_EQ(bounds[i], most);
  }
  alignas(64) uint8_t freqs[64] = {1, 2, 255, 9};
  alignas(64) uint8_t codes[64] = {3, 200, 77, 0};
  alignas(64) float scores[64];
  kernels_->score_postings(freqs, codes, 4, scorer, kEscaped, scores);
  EXPECT_EQ(scores[1], scorer.Score(2, 200));
  EXPECT_EQ(scores[2], scorer.Score(kEscaped, 77));
}

INSTANTIATE_TEST_SUITE_P(On, CustomKernels,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

class CustomSearch : public WindowedIndexTest<testing::Test, 9000, 300, 2500> {
 protected:
  static void ExpectSameHits(const SearchResult& found, const SearchResult& expected) {
    ASSERT_EQ(found.hits.size(), expected.hits.size());
    for (size_t i = 0; i < found.hits.size(); ++i) {
      ASSERT_EQ(found.hits[i].doc, expected.hits[i].doc) << i;
      ASSERT_EQ(found.hits[i].score, expected.hits[i].score) << i;
    }
  }
};

TEST_F(CustomSearch, EqualsTheBuiltInFormulaThatItRepeats) {
  const Searcher searcher(snapshot_);
  const SameAsBm25 formulas{};
  SeededRandom random(5);
  for (int round = 0; round < Rounds(150); ++round) {
    const std::string query = RandomWindowedQuery(random, 2);
    SCOPED_TRACE(query);
    SearchOptions options = RandomOptions(random);
    options.similarity = SimilarityKind::kBm25;
    const auto expected = searcher.Search(query, options);
    options.similarity = SimilarityChoice(formulas);
    const auto found = searcher.Search(query, options);
    ASSERT_EQ(found.ok(), expected.ok());
    if (found.ok()) ExpectSameHits(*found, *expected);
  }
}

TEST_F(CustomSearch, FindsWhatScoringEveryMatchFinds) {
  const Searcher searcher(snapshot_);
  const Pivoted pivoted{};
  const Counted counted{};
  SeededRandom random(6);
  for (int round = 0; round < Rounds(150); ++round) {
    const std::string query = RandomWindowedQuery(random, 2);
    SCOPED_TRACE(query);
    SearchOptions options = RandomOptions(random);
    options.similarity =
        SimilarityChoice(round % 2 == 0 ? static_cast<const ScoreFormulas&>(pivoted) : counted);
    options.exhaustive = false;
    const auto found = searcher.Search(query, options);
    options.exhaustive = true;
    const auto expected = searcher.Search(query, options);
    ASSERT_EQ(found.ok(), expected.ok());
    if (found.ok()) ExpectSameHits(*found, *expected);
  }
}

TEST_F(CustomSearch, IsExplained) {
  const Searcher searcher(snapshot_);
  const Pivoted formulas{};
  SearchOptions options;
  options.k = 1;
  options.explain = true;
  options.similarity = SimilarityChoice(formulas);
  const auto result = searcher.Search("body:t5", options);
  ASSERT_TRUE(result.ok()) << result.status();
  const Explanation& explanation = result->explanations[0];
  EXPECT_EQ(explanation.value, result->hits[0].score);
  EXPECT_EQ(explanation.description, "weight(body:t5) by the formulas of the program, from:");
  ASSERT_EQ(explanation.details.size(), 3u);
  EXPECT_EQ(explanation.details[0].description, "idf(t5) from:");
  EXPECT_EQ(formulas.Score(explanation.details[0].value, explanation.details[1].value,
                           explanation.details[2].value),
            explanation.value);
}

}  // namespace custom_kernels_test
}  // namespace pmdex
