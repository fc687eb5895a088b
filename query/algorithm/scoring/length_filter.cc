#include "query/algorithm/scoring/length_filter.h"

#include "query/algorithm/leaf/rounding_margin.h"

namespace pmdex {

// With many leaves, like those of an expansion, the tables would cost more than they save in the
// few windows where few leaves have documents.
LengthFilter::LengthFilter(const OpenQuery& query)
    : leaves_(query.scoring_leaves()), rounding_margin_(query.rounding_margin()) {
  constexpr size_t kMostLeaves = 8;
  if (leaves_.size() > kMostLeaves) return;
  terms_.reserve(leaves_.size());
  for (const ScoringLeaf& leaf : leaves_) {
    terms_.emplace_back().postings = leaf.leaf->term_postings();
  }
}

// With more leaves in the window, each lets most documents pass whatever their length.
bool LengthFilter::IsWorthwhile(uint32_t leaf, uint32_t window,
                                std::span<const uint32_t> present) const {
  constexpr size_t kMostLeavesInWindow = 3;
  constexpr uint32_t kLeastPostings = 128;
  return terms_[leaf].postings != nullptr && present.size() > 1 &&
         present.size() <= kMostLeavesInWindow &&
         leaves_[leaf].leaf->WindowEstimate(window) >= kLeastPostings;
}

const LengthBounds& LengthFilter::BoundsOf(Term& term, uint32_t window) {
  if (term.window != window) term.postings->BoundByLength(window, term.bounds);
  term.window = window;
  return term.bounds;
}

bool LengthFilter::FillCompetitive(uint32_t leaf, uint32_t window, float min_score,
                                   std::span<const uint32_t> present, WindowBits& bits) {
  if (terms_.empty()) return false;
  if (!IsWorthwhile(leaf, window, present)) return false;
  TermPostings& term = *terms_[leaf].postings;
  const LengthBounds* others = nullptr;
  double rest = 0;  // the upper bounds of leaves without a bound for each length
  for (const uint32_t i : present) {
    if (i == leaf) continue;
    Term& other = terms_[i];
    if (other.postings == nullptr || other.postings->scorer().lengths != term.scorer().lengths) {
      rest += leaves_[i].leaf->Bound(window);
      continue;
    }
    const LengthBounds& bounds = BoundsOf(other, window);
    if (others == nullptr) {
      others = &bounds;
      continue;
    }
    for (size_t code = 0; code < sum_.of.size(); ++code) {
      sum_.of[code] = others->of[code] + bounds.of[code];
    }
    others = &sum_;
  }
  if (others == nullptr) return false;
  term.FillCompetitiveBeside(window, MinScoreBeside(min_score, rest, rounding_margin_), *others,
                             bits);
  return true;
}

}  // namespace pmdex
