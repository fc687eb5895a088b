#include "query/similarity.h"

#include <cmath>

#include "gtest/gtest.h"

namespace pmdex {
namespace similarity_test {

FieldStatistics Field(uint64_t docs, uint64_t tokens) {
  FieldStatistics field;
  field.doc_count = docs;
  field.token_count = tokens;
  return field;
}

TEST(Similarity, NamesParseBack) {
  EXPECT_EQ(*ParseSimilarityKind("bm25"), SimilarityKind::kBm25);
  EXPECT_EQ(*ParseSimilarityKind(ToString(SimilarityKind::kTfidf)), SimilarityKind::kTfidf);
  EXPECT_EQ(ParseSimilarityKind("BM").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Similarity, ComputesIdfAsDocumented) {
  EXPECT_FLOAT_EQ(InverseDocumentFrequency(SimilarityKind::kBm25, 3, 10),
                  static_cast<float>(std::log(1 + 7.5 / 3.5)));
  EXPECT_FLOAT_EQ(InverseDocumentFrequency(SimilarityKind::kTfidf, 3, 10),
                  static_cast<float>(std::log(11.0 / 4.0) + 1));
}

TEST(Similarity, ScoresBm25ByTheTextbookFormula) {
  const LengthTable lengths = MakeLengthTable(SimilarityKind::kBm25, Field(4, 40));
  const TermScorer scorer{SimilarityKind::kBm25, 2.0f, &lengths};
  // dl 20, avgdl 10, tf 3: 2 * 3 / (3 + 1.2 * (0.25 + 0.75 * 2)) = 6 / 5.1.
  EXPECT_NEAR(scorer.Score(3, 20), 6 / 5.1, 1e-6);
}

TEST(Similarity, ScoresTfidfByTheDocumentedFormula) {
  const LengthTable lengths = MakeLengthTable(SimilarityKind::kTfidf, Field(4, 40));
  const TermScorer scorer{SimilarityKind::kTfidf, 2.0f, &lengths};
  EXPECT_NEAR(scorer.Score(9, 16), 2 * 3.0 / 4.0, 1e-6);
}

TEST(Similarity, GrowsWithFrequencyAndFallsWithLength) {
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const LengthTable lengths = MakeLengthTable(kind, Field(10, 1000));
    const TermScorer scorer{kind, 1.5f, &lengths};
    for (int code = 1; code < 255; ++code) {
      const auto c = static_cast<uint8_t>(code);
      EXPECT_GE(scorer.Score(2, c), scorer.Score(2, static_cast<uint8_t>(code + 1)));
      EXPECT_LE(scorer.Score(2, c), scorer.Score(3, c));
    }
  }
}

// Tables are kept, so that fields must not get each other's.
TEST(Similarity, MakesATableForEachAverageLengthInAnyOrder) {
  constexpr size_t kCode = 20;  // also the length that it stands for
  for (int round = 0; round < 3; ++round) {
    for (uint64_t tokens = 10; tokens < 400; tokens += 7) {
      const LengthTable lengths = MakeLengthTable(SimilarityKind::kBm25, Field(10, tokens));
      const float average = static_cast<float>(tokens) / 10.0f;
      const float expected = 1.0f / (kBm25K1 * ((1.0f - kBm25B) + kBm25B * 20.0f / average));
      ASSERT_FLOAT_EQ(lengths[kCode], expected) << tokens;
      ASSERT_EQ(lengths, MakeLengthTable(SimilarityKind::kBm25, Field(10, tokens))) << tokens;
    }
  }
}

TEST(Similarity, StaysFiniteWithoutTokens) {
  const LengthTable lengths = MakeLengthTable(SimilarityKind::kBm25, Field(0, 0));
  for (const float length : lengths) EXPECT_TRUE(std::isfinite(length));
}

}  // namespace similarity_test
}  // namespace pmdex
