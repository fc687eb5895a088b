#include "query/algorithm/window_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace pmdex {
namespace {

// Candidates that are looked up one by one whatever they are.
constexpr uint32_t kFew = 32;

}  // namespace

WindowSearch::WindowSearch(std::vector<OpenClause> clauses, uint64_t doc_base, uint32_t doc_count,
                           const QueryKernels& kernels, bool score_all, TopK& top)
    : clauses_(std::move(clauses)),
      doc_base_(doc_base),
      kernels_(kernels),
      score_all_(score_all),
      top_(top) {
  for (uint32_t i = 0; i < clauses_.size(); ++i) {
    const OpenClause& clause = clauses_[i];
    if (clause.occur == Occur::kMustNot) continue;
    if (clause.occur == Occur::kMust) required_.push_back(i);
    for (size_t leaf = 0; leaf < clause.leaves.size(); ++leaf) {
      const bool decides = clause.occur == Occur::kMust && clause.leaves.size() == 1;
      scorers_.push_back({clause.leaves[leaf].get(), i, clause.sums[leaf], decides});
      clause.leaves[leaf]->PrepareBounds();
    }
  }
  if (scorers_.size() > 1) slack_ = 1e-6 + 1e-7 * static_cast<double>(scorers_.size());
  ComputeBounds(doc_count);
}

float WindowSearch::Needed(uint32_t window) const {
  if (score_all_) return -std::numeric_limits<float>::infinity();
  return top_.NeededFrom(doc_base_ + uint64_t{window} * kWindowDocs);
}

float WindowSearch::Without(double needed, double others) const {
  if (needed <= 0) return 0;
  return static_cast<float>((needed - others) - slack_ * (needed + others));
}

// Nothing where a required clause has nothing, or all have nothing.
void WindowSearch::ComputeBounds(uint32_t doc_count) {
  bounds_.assign(WindowCount(doc_count), 0.0f);
  std::vector<float> of_clause(bounds_.size());
  for (const OpenClause& clause : clauses_) {
    if (clause.occur == Occur::kMustNot) continue;
    std::fill(of_clause.begin(), of_clause.end(), 0.0f);
    for (const auto& leaf : clause.leaves) {
      for (uint32_t i = 0; i < bounds_.size(); ++i) of_clause[i] += leaf->Bound(i);
    }
    const bool required = clause.occur == Occur::kMust;
    for (uint32_t i = 0; i < bounds_.size(); ++i) {
      const bool impossible = bounds_[i] < 0 || (required && of_clause[i] == 0);
      bounds_[i] = impossible ? -1.0f : bounds_[i] + of_clause[i];
    }
  }
  for (float& bound : bounds_)
    bound = bound > 0 ? bound * static_cast<float>(1 + 2 * slack_) : -1.0f;
}

// The leaves in the order in which candidates are scored: those that can send a document away
// first, rarest first; then those that can add most.
bool WindowSearch::EnterWindow(uint32_t window) {
  order_.clear();
  window_bound_ = 0;
  for (uint32_t i = 0; i < scorers_.size(); ++i) {
    Scorer& scorer = scorers_[i];
    scorer.bound = scorer.leaf->Bound(window);
    scorer.score = Leaf::kNoMatch;
    if (scorer.bound == 0) continue;
    window_bound_ += scorer.bound;
    order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
    const Scorer& left = scorers_[a];
    const Scorer& right = scorers_[b];
    if (left.decides != right.decides) return left.decides;
    return left.bound != right.bound ? left.bound > right.bound : a < b;
  });
  return !order_.empty();
}

void WindowSearch::Search(uint32_t window, float needed, WindowBits* given) {
  if (bounds_[window] < std::max(needed, 0.0f) || !EnterWindow(window)) return;
  WindowBits candidates;
  summed_ = false;
  if (required_.empty()) {
    FillOptional(window, needed, candidates);
  } else {
    FillRequired(window, needed, candidates);
  }
  if (given != nullptr) candidates.AndNot(*given);
  const float promising = needed > 0 ? 0 : Promising(window, candidates);
  if (promising > 0) OfferAll(window, candidates, promising, needed, given);
  OfferAll(window, candidates, 0, needed, given);
}

// Where nothing is known of what it takes, but much to choose from: a score that no more documents
// reach than there is room for, so that these come first and most of the others need no look.
float WindowSearch::Promising(uint32_t window, const WindowBits& candidates) {
  const size_t room = top_.room();
  if (order_.size() < 2 || score_all_ || candidates.Count() <= std::max<size_t>(kFew, room)) {
    return 0;
  }
  sums_.of.fill(0);
  for (const uint32_t i : order_) scorers_[i].leaf->AddScores(window, sums_);
  others_ = 0;
  summed_ = true;
  ranked_.clear();
  candidates.ForEach([this](uint32_t doc) {
    ranked_.push_back(sums_.of[doc]);
    return true;
  });
  const auto last = ranked_.begin() + static_cast<ptrdiff_t>(std::max<size_t>(room, 1) - 1);
  std::nth_element(ranked_.begin(), last, ranked_.end(), std::greater<>());
  return *last;
}

// Those of the candidates whose sum, where it is known, reaches `promising`.
void WindowSearch::OfferAll(uint32_t window, WindowBits& candidates, float promising, float needed,
                            WindowBits* given) {
  needed = std::max(needed, Needed(window));
  candidates.ForEach([&](uint32_t in_window) {
    if (summed_) {
      if (sums_.of[in_window] < promising) return true;
      candidates.words[in_window / 64] &= ~(uint64_t{1} << (in_window % 64));
      if (sums_.of[in_window] < Without(needed, others_)) return true;
    }
    const DocId doc = window * kWindowDocs + in_window;
    if (!ScoreAll(doc, needed) || IsExcluded(doc)) return true;
    ++scored_;
    top_.Add({doc_base_ + doc, Sum()});
    if (given != nullptr) given->Set(in_window);
    needed = std::max(needed, Needed(window));
    return bounds_[window] >= needed;
  });
}

// Leaves whose bounds together do not reach `needed` need not offer documents: whatever they have
// without the others falls short.
void WindowSearch::FillOptional(uint32_t window, float needed, WindowBits& bits) {
  double left_out = 0;
  bool offers = false;
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {  // by rising bound
    Scorer& scorer = scorers_[*i];
    left_out += scorer.bound;
    offers = offers || left_out * (1 + slack_) >= needed;
    scorer.offers = offers;
    if (!offers) continue;
    scorer.leaf->FillPassing(window, Without(needed, window_bound_ - scorer.bound), bits);
  }
  if (needed > 0 && order_.size() > 1 && bits.Count() > kFew) DropBySums(window, needed, bits);
}

// When filters let much pass: what the leaves that offer documents give them together, added up in
// one pass over their postings, settles most. The others count by their bounds, until so much is
// left that adding theirs costs less than looking each document up.
void WindowSearch::DropBySums(uint32_t window, float needed, WindowBits& bits) {
  constexpr uint32_t kPostingsPerLookUp = 8;
  double others = 0;
  sums_.of.fill(0);
  for (const uint32_t i : order_) {
    if (scorers_[i].offers) {
      scorers_[i].leaf->AddScores(window, sums_);
    } else {
      others += scorers_[i].bound;
    }
  }
  kernels_.keep_sums(sums_, Without(needed, others), bits);
  for (const uint32_t i : order_) {  // by falling bound
    if (scorers_[i].offers) continue;
    const uint32_t left = bits.Count();
    if (left <= kFew || left * kPostingsPerLookUp < scorers_[i].leaf->WindowCost(window)) break;
    scorers_[i].leaf->AddScores(window, sums_);
    others = std::max(0.0, others - scorers_[i].bound);
    kernels_.keep_sums(sums_, Without(needed, others), bits);
  }
  others_ = others;
  summed_ = true;
}

void WindowSearch::FillClause(uint32_t clause, uint32_t window, float needed, WindowBits& bits) {
  for (const Scorer& scorer : scorers_) {
    if (scorer.clause != clause || scorer.bound == 0) continue;
    scorer.leaf->FillPassing(window, Without(needed, window_bound_ - scorer.bound), bits);
  }
}

// The rarest required clause gives the candidates. The others are filtered too where that costs
// less than to look for each candidate in them.
void WindowSearch::FillRequired(uint32_t window, float needed, WindowBits& bits) {
  const auto cost = [&](uint32_t clause) {
    uint32_t sum = 0;
    for (const auto& leaf : clauses_[clause].leaves) sum += leaf->WindowCost(window);
    return sum;
  };
  std::sort(required_.begin(), required_.end(),
            [&](uint32_t a, uint32_t b) { return cost(a) < cost(b); });
  FillClause(required_[0], window, needed, bits);
  for (size_t i = 1; i < required_.size(); ++i) {
    // In postings that a filter reads while one candidate is looked up, and for its set-up.
    constexpr uint32_t kFilteredPerLookUp = 64;
    constexpr uint32_t kSetUp = 512;
    const uint32_t candidates = bits.Count();
    if (candidates == 0) return;
    if (candidates * kFilteredPerLookUp < cost(required_[i]) + kSetUp) return;
    WindowBits passing;
    FillClause(required_[i], window, needed, passing);
    bits.And(passing);
  }
}

// Whether the document matches and may score `needed`; its scores are then in scorers_.
bool WindowSearch::ScoreAll(DocId doc, float needed) {
  double known = 0;
  double possible = window_bound_;
  for (const uint32_t i : order_) {
    Scorer& scorer = scorers_[i];
    possible -= scorer.bound;
    scorer.score = scorer.leaf->Score(doc, Without(needed, known + possible));
    if (scorer.score == Leaf::kTooLow) return false;
    if (scorer.score == Leaf::kNoMatch) {
      if (scorer.decides) return false;
    } else {
      known += scorer.score;
    }
    if ((known + possible) * (1 + slack_) < needed) return false;
  }
  return HasAllRequired();
}

bool WindowSearch::HasAllRequired() const {
  bool any = false;
  for (const Scorer& scorer : scorers_) any = any || scorer.score >= 0;
  if (!any) return false;
  return std::all_of(required_.begin(), required_.end(), [this](uint32_t clause) {
    return std::any_of(scorers_.begin(), scorers_.end(), [clause](const Scorer& scorer) {
      return scorer.clause == clause && scorer.score >= 0;
    });
  });
}

// The exhaustive evaluator's sum: leaves of a sum in double and rounded, the sums of a clause
// likewise, then the clauses, all in the order of the query.
float WindowSearch::Sum() const {
  double total = 0;
  for (size_t i = 0; i < scorers_.size();) {
    const uint32_t clause = scorers_[i].clause;
    double of_clause = 0;
    while (i < scorers_.size() && scorers_[i].clause == clause) {
      const uint32_t sum = scorers_[i].sum;
      double of_sum = 0;
      for (; i < scorers_.size() && scorers_[i].clause == clause && scorers_[i].sum == sum; ++i) {
        if (scorers_[i].score >= 0) of_sum += scorers_[i].score;
      }
      of_clause += static_cast<float>(of_sum);
    }
    total += static_cast<float>(of_clause);
  }
  return static_cast<float>(total);
}

bool WindowSearch::IsExcluded(DocId doc) {
  for (const OpenClause& clause : clauses_) {
    if (clause.occur != Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves) {
      if (leaf->Score(doc, 0) >= 0) return true;
    }
  }
  return false;
}

}  // namespace pmdex
