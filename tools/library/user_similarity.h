// Gives the search the formulas of a Similarity that a program brings to the library. Thread-safe.
#pragma once

#include <cstdint>

#include "query/similarity.h"
#include "tools/library/pmdex.h"

namespace pmdex {

class UserSimilarity final : public ScoreFormulas {
 public:
  // The similarity must outlive the object.
  explicit UserSimilarity(const Similarity& similarity) : similarity_(similarity) {}

  float TermWeight(uint64_t df, uint64_t field_doc_count) const override {
    return similarity_.WordWeight(df, field_doc_count);
  }
  float LengthFactor(float length, float average_length) const override {
    return similarity_.LengthFactor(length, average_length);
  }
  float Score(float weight, float freq, float length_factor) const override {
    return similarity_.Score(weight, freq, length_factor);
  }

 private:
  const Similarity& similarity_;
};

}  // namespace pmdex
