#include "query/algorithm/scoring/candidate_batch.h"

#include <algorithm>

#include "query/algorithm/leaf/rounding_margin.h"

namespace pmdex {

CandidateBatch::CandidateBatch(const OpenQuery& query)
    : query_(query),
      has_scores_(query.scoring_leaves().size()),
      bounds_(query.scoring_leaves().size()),
      scores_(query.scoring_leaves().size()) {}

void CandidateBatch::Clear() {
  count_ = 0;
  totals_are_scores_ = false;
  known_.fill(0);
  best_.fill(Leaf::kNoMatch);
  std::fill(has_scores_.begin(), has_scores_.end(), uint8_t{0});
}

// What the leaves without scores can add at most, without the leaf `except`.
double CandidateBatch::BoundsToCome(uint32_t except) const {
  double bounds = 0;
  for (uint32_t i = 0; i < bounds_.size(); ++i) {
    if (i != except && has_scores_[i] == 0) bounds += bounds_[i];
  }
  return bounds;
}

void CandidateBatch::ScoreLeaf(uint32_t leaf, float min_score) {
  const double others = BoundsToCome(leaf);
  const double margin = query_.rounding_margin();
  for (uint32_t i = 0; i < count_; ++i) {
    min_scores_[i] = MinScoreBeside(min_score, known_[i] + others, margin);
  }
  query_.scoring_leaves()[leaf].leaf->ScoreDocs(docs(), min_scores_, ScoresOf(leaf));
  TakeScores(leaf, min_score);
}

// Adding up all leaves after each of them takes time in proportion to the square of their number.
// So a batch of many leaves drops by sums that are not exact, with a margin for their rounding.
void CandidateBatch::TakeScores(uint32_t leaf, float min_score) {
  constexpr size_t kFewLeaves = 8;
  has_scores_[leaf] = 1;
  const ScoreArray& scores = scores_[leaf].of;
  const float least = query_.scoring_leaves()[leaf].is_required ? 0 : Leaf::kNoMatch;
  const bool is_exact = bounds_.size() <= kFewLeaves;
  if (is_exact) AddUp(/*with_bounds=*/true);
  const double others = is_exact ? 0 : BoundsToCome(leaf);
  const double margin = query_.rounding_margin();
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) {
    known_[i] += scores[i] > 0 ? scores[i] : 0.0f;
    best_[i] = scores[i] > best_[i] ? scores[i] : best_[i];
    const bool matches = scores[i] >= least;
    const bool reaches = is_exact ? totals_[i] >= min_score
                                  : MinScoreBeside(min_score, known_[i] + others, margin) <= 0;
    kept[i] = matches && reaches;
  }
  Keep(kept);
}

void CandidateBatch::TakeConstant(uint32_t leaf, float score) {
  has_scores_[leaf] = 1;
  totals_are_scores_ = false;
  scores_[leaf].of.fill(score);
  for (uint32_t i = 0; i < count_; ++i) {
    known_[i] += score;
    best_[i] = std::max(best_[i], score);
  }
}

void CandidateBatch::Finish(float min_score) {
  for (const ScoringLeaf& leaf : query_.scoring_leaves()) {
    if (leaf.ends_required) KeepMatchesOf(leaf.clause);
  }
  if (query_.minimum_should_match() != 0) KeepMinimum();
  if (!totals_are_scores_) AddUp(/*with_bounds=*/false);
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) {
    const bool matches = best_[i] >= 0;
    const bool reaches = totals_[i] >= min_score;
    kept[i] = matches && reaches;
  }
  Keep(kept);
  for (const OpenClause& clause : query_.clauses()) {
    if (clause.occur != Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves) DropMatchesOf(*leaf);
  }
}

void CandidateBatch::AddTo(TopK& top, uint64_t doc_base) const {
  for (uint32_t i = 0; i < count_; ++i) top.Add({doc_base + docs_[i], totals_[i]});
}

void CandidateBatch::DropMatchesOf(Leaf& leaf) {
  if (count_ == 0) return;
  min_scores_.fill(0);
  alignas(64) ScoreArray scores;
  leaf.ScoreDocs(docs(), min_scores_, scores);
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) kept[i] = scores[i] < 0;
  Keep(kept);
}

void CandidateBatch::Keep(const Kept& kept) {
  std::array<uint8_t, kMost> from;
  uint32_t count = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    from[count] = static_cast<uint8_t>(i);
    count += kept[i] ? 1 : 0;
  }
  if (count == count_) return;
  count_ = count;
  const auto move = [&](auto& array) {
    for (uint32_t i = 0; i < count; ++i) array[i] = array[from[i]];
  };
  move(docs_);
  move(known_);
  move(best_);
  move(totals_);
  for (size_t leaf = 0; leaf < scores_.size(); ++leaf) {
    if (has_scores_[leaf] != 0) move(scores_[leaf].of);
  }
}

void CandidateBatch::KeepMatchesOf(uint32_t clause) {
  Kept kept{};
  const std::span<const ScoringLeaf> leaves = query_.scoring_leaves();
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (leaves[leaf].clause != clause || has_scores_[leaf] == 0) continue;
    for (uint32_t i = 0; i < count_; ++i) kept[i] |= scores_[leaf].of[i] >= 0;
  }
  Keep(kept);
}

// Keeps the candidates that match enough optional clauses.
void CandidateBatch::KeepMinimum() {
  std::array<uint32_t, kMost> matching{};
  Kept in_clause{};
  const std::span<const ScoringLeaf> leaves = query_.scoring_leaves();
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (query_.clauses()[leaves[leaf].clause].occur != Occur::kShould) continue;
    for (uint32_t i = 0; i < count_ && has_scores_[leaf] != 0; ++i) {
      in_clause[i] |= scores_[leaf].of[i] >= 0;
    }
    if (!leaves[leaf].ends_clause) continue;
    for (uint32_t i = 0; i < count_; ++i) matching[i] += in_clause[i] ? 1 : 0;
    in_clause.fill(false);
  }
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) kept[i] = matching[i] >= query_.minimum_should_match();
  Keep(kept);
}

// Adds as the exhaustive search does: the leaves of a sum in double, then rounded; the sums of a
// clause in the same way; then the clauses. All in the order of the query.
void CandidateBatch::AddUp(bool with_bounds) {
  std::array<double, kMost> total, of_clause, of_sum;
  std::fill_n(total.begin(), count_, 0);
  std::fill_n(of_clause.begin(), count_, 0);
  std::fill_n(of_sum.begin(), count_, 0);
  totals_are_scores_ = true;
  const std::span<const ScoringLeaf> leaves = query_.scoring_leaves();
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ScoringLeaf& leaf = leaves[i];
    const ScoreArray& scores = scores_[i].of;
    std::array<double, kMost>& sum = leaf.is_clause ? total : of_sum;
    if (has_scores_[i] != 0) {
      ScoreArray added;  // in a loop of its own: next to the addition it would become a branch
      for (uint32_t c = 0; c < kMost; ++c) added[c] = scores[c] > 0 ? scores[c] : 0.0f;
      for (uint32_t c = 0; c < count_; ++c) sum[c] += added[c];
    } else if (with_bounds && bounds_[i] > 0) {
      totals_are_scores_ = false;
      for (uint32_t c = 0; c < count_; ++c) sum[c] += bounds_[i];
    }
    if (leaf.is_clause || !leaf.ends_sum) continue;
    for (uint32_t c = 0; c < count_; ++c) {
      of_clause[c] += static_cast<float>(of_sum[c]);
      of_sum[c] = 0;
    }
    if (!leaf.ends_clause) continue;
    for (uint32_t c = 0; c < count_; ++c) {
      total[c] += static_cast<float>(of_clause[c]);
      of_clause[c] = 0;
    }
  }
  for (uint32_t c = 0; c < count_; ++c) totals_[c] = static_cast<float>(total[c]);
}

}  // namespace pmdex
