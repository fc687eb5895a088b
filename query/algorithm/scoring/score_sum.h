// The sum that makes the score of a document, with its roundings: the leaves of a sum are added in
// double precision and rounded to float, the sums of a clause likewise, and then the clauses, all
// in the order of the query, as the exhaustive search adds them.
//
// Adding and rounding are monotone: a sum of upper bounds, added in the same order and with the
// same roundings, is an upper bound of the sum that needs no margin for rounding. A document whose
// bound equals the k-th best score, and which comes later, is therefore known not to be a hit.
//
// Immutable, so that any number of threads may use one ScoreSum.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace pmdex {

// How one leaf enters the sum.
struct SumRow {
  bool is_clause = false;    // the only leaf of its clause: it is added to the total at once
  bool ends_sum = false;     // the last leaf of its sum
  bool ends_clause = false;  // the last leaf of its clause
};

class ScoreSum {
 public:
  using Rows = absl::InlinedVector<SumRow, 8>;

  ScoreSum() = default;
  // `rows`: the leaves that can add to a score, in the order of the query.
  explicit ScoreSum(Rows rows) : rows_(std::move(rows)) {}

  size_t size() const { return rows_.size(); }

  // The score of a document. scores: one for each row, none below zero; 0 where the leaf does not
  // match. With upper bounds in their place: an upper bound of the score.
  float Of(std::span<const float> scores) const;

  // The least score of the leaf of `row` with which a document can reach `least_total` if every
  // other leaf scores its bound. A document whose leaf scores less does not reach it. bounds: one
  // for each row. 0 if the others reach it without the leaf; infinity if even the leaf's own bound
  // is too low.
  float LeastScore(size_t row, std::span<const float> bounds, float least_total) const;

 private:
  float Of(std::span<const float> scores, size_t row, float score_of_row) const;

  Rows rows_;
};

}  // namespace pmdex
