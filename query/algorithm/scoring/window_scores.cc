#include "query/algorithm/scoring/window_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/algorithm/leaf/term_postings.h"
#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

// Moves the sums, rounded to float, to other sums.
void Fold(WindowTotals& from, WindowTotals& to) {
  for (size_t i = 0; i < kWindowDocs; ++i) {
    to.of[i] += static_cast<float>(from.of[i]);
    from.of[i] = 0;
  }
}

// The middle between `score` and the next lower float: what is below it does not round to `score`.
double LeastThatRoundsTo(float score) {
  const float below = std::nextafter(score, -std::numeric_limits<float>::infinity());
  return (double{below} + double{score}) / 2;
}

}  // namespace

bool WindowScores::CanSearch(const OpenQuery& query) {
  if (query.minimum_should_match() != 0) return false;
  size_t clauses = 0;
  bool any_required = false;
  for (const OpenClause& clause : query.clauses()) {
    if (clause.occur == Occur::kMustNot) continue;
    ++clauses;
    any_required = any_required || IsRequired(clause.occur);
  }
  const std::span<const ScoringLeaf> leaves = query.scoring_leaves();
  return clauses != 0 && (clauses == 1 || !any_required) &&
         std::all_of(leaves.begin(), leaves.end(),
                     [](const ScoringLeaf& leaf) { return leaf.leaf->term_postings() != nullptr; });
}

WindowScores::WindowScores(const RankingContext& context)
    : context_(context), scores_(std::make_unique_for_overwrite<WindowTotals>()) {
  const std::span<const ScoringLeaf> leaves = context_.query.scoring_leaves();
  const bool is_one_sum =
      std::all_of(leaves.begin(), leaves.end() - 1,
                  [](const ScoringLeaf& leaf) { return !leaf.is_clause && !leaf.ends_sum; });
  if (!is_one_sum) parts_ = std::make_unique<Parts>();
}

void WindowScores::Search(uint32_t window, std::span<const float> leaf_bounds, float min_score) {
  WindowBits bits;
  if (min_score > 0) {
    bits.words.fill(~uint64_t{0});  // whether a document has a leaf shows in its score
  } else {
    for (const ScoringLeaf& leaf : context_.query.scoring_leaves()) {
      if (IsOver()) return;
      leaf.leaf->Fill(window, bits);
    }
  }
  if (!AddUp(window, leaf_bounds)) return;
  const WindowTotals& scores = *scores_;
  if (min_score > 0) {
    context_.segment.kernels.keep_totals(scores, LeastThatRoundsTo(min_score), bits);
  }
  RetainLive(context_.segment.cursor.live_docs, window, bits);
  RemoveProhibited(window, bits);
  if (IsOver()) return;
  const DocId first = window * kWindowDocs;
  bits.ForEach([&](uint32_t doc) {
    context_.top.Add({context_.segment.doc_base + first + doc, static_cast<float>(scores.of[doc])});
    ++scored_;
    return true;
  });
}

// False if the context has timed out.
bool WindowScores::AddUp(uint32_t window, std::span<const float> leaf_bounds) {
  scores_->of.fill(0);
  bool any_of_clause = false;
  bool any_of_sum = false;
  const std::span<const ScoringLeaf> leaves = context_.query.scoring_leaves();
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ScoringLeaf& leaf = leaves[i];
    const bool is_direct = parts_ == nullptr || leaf.is_clause;
    if (leaf_bounds[i] > 0) {
      if (IsOver()) return false;
      leaf.leaf->term_postings()->AddScores(window, is_direct ? *scores_ : parts_->of_sum);
      any_of_sum = any_of_sum || !is_direct;
    }
    if (is_direct) continue;
    if (leaf.ends_sum && any_of_sum) {
      Fold(parts_->of_sum, parts_->of_clause);
      any_of_sum = false;
      any_of_clause = true;
    }
    if (leaf.ends_clause && any_of_clause) {
      Fold(parts_->of_clause, *scores_);
      any_of_clause = false;
    }
  }
  return true;
}

void WindowScores::RemoveProhibited(uint32_t window, WindowBits& bits) {
  for (const OpenClause& clause : context_.query.clauses()) {
    if (clause.occur != Occur::kMustNot || bits.Count() == 0) continue;
    for (const auto& leaf : clause.leaves) {
      if (IsOver()) return;
      WindowBits prohibited = bits;
      leaf->Retain(window, prohibited);
      bits.AndNot(prohibited);
    }
  }
}

}  // namespace pmdex
