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
// is the phrase frequency.
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

enum class SimilarityKind { kBm25, kTfidf };
absl::StatusOr<SimilarityKind> ParseSimilarityKind(std::string_view name);
std::string_view ToString(SimilarityKind kind);

inline constexpr float kBm25K1 = 1.2f;
inline constexpr float kBm25B = 0.75f;

float InverseDocumentFrequency(SimilarityKind kind, uint64_t df, uint64_t field_doc_count);
float AverageLength(const FieldStatistics& field);  // avgdl as the similarities use it

// L(dl) for each of the 256 length codes. One a field.
using LengthTable = std::array<float, 256>;
LengthTable MakeLengthTable(SimilarityKind kind, const FieldStatistics& field);

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

  float Score(float freq, uint8_t length_code) const {
    const float length = (*lengths)[length_code];
    return kind == SimilarityKind::kBm25 ? Bm25Formula::Score(weight, freq, length)
                                         : TfidfFormula::Score(weight, freq, length);
  }
};

}  // namespace pmdex
