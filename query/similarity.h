// How much a match is worth. Both similarities compute in float, operation for operation as Lucene
// (version 8 and later) does, so scores agree with it for the same tokens:
//
//   bm25   idf = ln(1 + (N - df + 0.5) / (df + 0.5))
//          score = w - w / (1 + tf * L(dl)),  w = boost * idf
//          L(dl) = 1 / (k1 * (1 - b + b * dl / avgdl)),  k1 = 1.2, b = 0.75
//          (which is w * tf / (tf + k1 * (1 - b + b * dl / avgdl)), rearranged to stay monotonic)
//   tfidf  idf = ln((N + 1) / (df + 1)) + 1
//          score = sqrt(tf) * w * L(dl),  w = boost * idf,  L(dl) = 1 / sqrt(dl)
//          (Lucene's ClassicSimilarity: idf counts once; query norm and coord are long gone)
//
// N: documents that have the field; df: documents that have the term in it; avgdl: tokens of the
// field / N; all over the whole index. dl: the length of the field in the document as its one-byte
// code gives it back (norms.h). A phrase is a term whose idf is the sum of its terms' and whose tf
// is the phrase frequency. A program may bring a formula of its own (ScoreFormulas).
//
// Deleted documents count in N, df and avgdl until a merge drops them, as in Lucene. So a deletion
// changes no score of another document; the merge does.
//
// Everything here is immutable after construction and thread-safe.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

enum class SimilarityKind { kBm25, kTfidf, kCustom };
absl::StatusOr<SimilarityKind> ParseSimilarityKind(std::string_view name);  // never kCustom
std::string_view ToString(SimilarityKind kind);

// The formulas of a similarity that a program brings. The search leaves out documents whose upper
// bound is too low, and computes bounds by the same formulas. So the score must not fall when the
// frequency grows, must not grow when the length does, and must not be negative. Called by several
// threads at a time.
class ScoreFormulas {
 public:
  virtual ~ScoreFormulas() = default;
  // What a term is worth that df of the documents with its field have; at least 0. The weight of a
  // term is this times its boost, and that of a phrase the sum over its terms.
  virtual float TermWeight(uint64_t df, uint64_t field_doc_count) const = 0;
  // L(dl), for a length and avgdl. Called for each of the 256 lengths that a code gives back.
  virtual float LengthFactor(float length, float average_length) const = 0;
  // freq: of a phrase with slop it may be a fraction.
  virtual float Score(float weight, float freq, float length_factor) const = 0;
};

// Which similarity a search uses.
struct SimilarityChoice {
  SimilarityChoice(SimilarityKind chosen = SimilarityKind::kBm25) : kind(chosen) {}  // NOLINT
  // The formulas must outlive the search.
  explicit SimilarityChoice(const ScoreFormulas& custom)
      : kind(SimilarityKind::kCustom), formulas(&custom) {}

  SimilarityKind kind;
  const ScoreFormulas* formulas = nullptr;  // of kCustom
};

inline constexpr float kBm25K1 = 1.2f;
inline constexpr float kBm25B = 0.75f;

float InverseDocumentFrequency(SimilarityChoice similarity, uint64_t df, uint64_t field_doc_count);
float AverageLength(const FieldStatistics& field);  // avgdl as the similarities use it

// L(dl) for each of the 256 length codes. One a field.
using LengthTable = std::array<float, 256>;
LengthTable MakeLengthTable(SimilarityChoice similarity, const FieldStatistics& field);

// The formulas, as types so that loops over postings are compiled for each.
struct Bm25Formula {
  static float Score(float weight, float freq, float length) {
    return weight - weight / (1.0f + freq * length);
  }
};
struct TfidfFormula {
  static float Score(float weight, float freq, float length) {
    return std::sqrt(freq) * weight * length;
  }
};

// One term or phrase, ready to score. The table must outlive it.
struct TermScorer {
  SimilarityKind kind = SimilarityKind::kBm25;
  float weight = 0;
  const LengthTable* lengths = nullptr;
  const ScoreFormulas* formulas = nullptr;  // of kCustom

  float Score(float freq, uint8_t length_code) const {
    const float length = (*lengths)[length_code];
    if (kind == SimilarityKind::kBm25) return Bm25Formula::Score(weight, freq, length);
    if (kind == SimilarityKind::kTfidf) return TfidfFormula::Score(weight, freq, length);
    return formulas->Score(weight, freq, length);
  }
};

}  // namespace pmdex
