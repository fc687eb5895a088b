// The score of a disjunction max: the best of several scores, and a part of the others. It computes
// as Lucene's DisjunctionMaxScorer does: the others are added in double, in the order of the
// clauses, and the result is rounded to float once. A plain value for one thread.
#pragma once

namespace pmdex {

class MaxScore {
 public:
  explicit MaxScore(float tie_breaker) : tie_breaker_(tie_breaker) {}

  void Add(float score) {
    if (!any_) {
      any_ = true;
      best_ = score;
    } else if (score >= best_) {
      others_ += best_;
      best_ = score;
    } else {
      others_ += score;
    }
  }
  bool any() const { return any_; }
  // Requires any().
  float Total() const { return static_cast<float>(best_ + others_ * tie_breaker_); }

 private:
  float tie_breaker_;
  bool any_ = false;
  float best_ = 0;
  double others_ = 0;
};

}  // namespace pmdex
