#include "query/algorithm/scoring/candidate_batch.h"

#include <algorithm>

namespace pmdex {

float WithoutOthers(double needed, double others, double slack) {
  if (needed <= 0) return 0;
  return static_cast<float>((needed - others) - slack * (needed + others));
}

double SlackOfSum(size_t leaves) {
  return leaves > 1 ? 1e-6 + 1e-7 * static_cast<double>(leaves) : 0;
}

CandidateBatch::CandidateBatch(std::span<const OpenClause> clauses) {
  for (uint32_t i = 0; i < clauses.size(); ++i) {
    const OpenClause& clause = clauses[i];
    if (clause.occur == Occur::kMustNot) continue;
    const bool required = clause.occur == Occur::kMust;
    const size_t leaves = clause.leaves.size();
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      Row row;
      row.clause = i;
      row.is_clause = leaves == 1;
      row.decides = clause.IsOneRequiredLeaf();
      row.ends_clause = leaf + 1 == leaves;
      row.ends_sum = row.ends_clause || clause.sums[leaf] != clause.sums[leaf + 1];
      row.ends_required = required && leaves > 1 && row.ends_clause;
      rows_.push_back(row);
    }
  }
  scores_.resize(rows_.size());
  slack_ = SlackOfSum(rows_.size());
}

void CandidateBatch::Clear() {
  count_ = 0;
  known_.fill(0);
  any_.fill(Leaf::kNoMatch);
  for (Row& row : rows_) row.asked = false;
}

void CandidateBatch::Ask(uint32_t row, Leaf& leaf, float needed, double possible) {
  for (uint32_t i = 0; i < count_; ++i) {
    needed_[i] = WithoutOthers(needed, known_[i] + possible, slack_);
  }
  leaf.ScoreDocs(docs(), needed_, ScoresOf(row));
  Take(row, needed, possible);
}

void CandidateBatch::Take(uint32_t row, float needed, double possible) {
  rows_[row].asked = true;
  const Lane& scores = scores_[row].of;
  const float least = rows_[row].decides ? 0 : Leaf::kNoMatch;
  const auto others = static_cast<float>(possible);
  const auto widened = static_cast<float>(1 + slack_);
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) {
    known_[i] += scores[i] > 0 ? scores[i] : 0.0f;
    any_[i] = scores[i] > any_[i] ? scores[i] : any_[i];
    const bool matches = scores[i] >= least;
    const bool reaches = (known_[i] + others) * widened >= needed;
    kept[i] = matches && reaches;
  }
  Keep(kept);
}

void CandidateBatch::Finish(float needed, std::span<const OpenClause> clauses) {
  for (const Row& row : rows_) {
    if (row.ends_required) KeepMatchesOf(row.clause);
  }
  AddUp();
  Kept kept;
  for (uint32_t i = 0; i < count_; ++i) {
    const bool matches = any_[i] >= 0;
    const bool reaches = totals_[i] >= needed;
    kept[i] = matches && reaches;
  }
  Keep(kept);
  for (const OpenClause& clause : clauses) {
    if (clause.occur != Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves) DropMatchesOf(*leaf);
  }
}

void CandidateBatch::AddTo(TopK& top, uint64_t doc_base) const {
  for (uint32_t i = 0; i < count_; ++i) top.Add({doc_base + docs_[i], totals_[i]});
}

void CandidateBatch::DropMatchesOf(Leaf& leaf) {
  if (count_ == 0) return;
  needed_.fill(0);
  alignas(64) Lane scores;
  leaf.ScoreDocs(docs(), needed_, scores);
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
  const auto move = [&](auto& lane) {
    for (uint32_t i = 0; i < count; ++i) lane[i] = lane[from[i]];
  };
  move(docs_);
  move(known_);
  move(any_);
  move(totals_);
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].asked) move(scores_[row].of);
  }
}

void CandidateBatch::KeepMatchesOf(uint32_t clause) {
  Kept kept{};
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].clause != clause || !rows_[row].asked) continue;
    for (uint32_t i = 0; i < count_; ++i) kept[i] |= scores_[row].of[i] >= 0;
  }
  Keep(kept);
}

// The exhaustive evaluator's sum: leaves of a sum in double and rounded, the sums of a clause
// likewise, then the clauses, all in the order of the query.
void CandidateBatch::AddUp() {
  std::array<double, kMost> total, of_clause, of_sum;
  std::fill_n(total.begin(), count_, 0);
  std::fill_n(of_clause.begin(), count_, 0);
  std::fill_n(of_sum.begin(), count_, 0);
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const Lane& scores = scores_[i].of;
    std::array<double, kMost>& sum = row.is_clause ? total : of_sum;
    if (row.asked) {
      Lane given;  // by itself: the compiler makes a branch of it next to the addition
      for (uint32_t c = 0; c < kMost; ++c) given[c] = scores[c] > 0 ? scores[c] : 0.0f;
      for (uint32_t c = 0; c < count_; ++c) sum[c] += given[c];
    }
    if (row.is_clause || !row.ends_sum) continue;
    for (uint32_t c = 0; c < count_; ++c) {
      of_clause[c] += static_cast<float>(of_sum[c]);
      of_sum[c] = 0;
    }
    if (!row.ends_clause) continue;
    for (uint32_t c = 0; c < count_; ++c) {
      total[c] += static_cast<float>(of_clause[c]);
      of_clause[c] = 0;
    }
  }
  for (uint32_t c = 0; c < count_; ++c) totals_[c] = static_cast<float>(total[c]);
}

}  // namespace pmdex
