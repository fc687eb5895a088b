#include "query/algorithm/window_search.h"

#include <algorithm>
#include <limits>

namespace pmdex {
namespace {

// Up to so many candidates are scored one by one, which costs less than adding up sums first.
constexpr uint32_t kFewCandidates = 32;
constexpr uint32_t kFewCandidatesOfTwoLeaves = 80;
// With more candidates, sums rule most of them out, and filtering by length does not pay.
constexpr uint32_t kManyCandidates = 160;
// With more leaves in a window, sums cost less than filters, each of which considers all leaves.
constexpr size_t kManyLeaves = 8;

}  // namespace

WindowSearch::WindowSearch(const RankingContext& context)
    : context_(context),
      leaves_(context.query.scoring_leaves()),
      member_words_(BitsetWords(context.segment.cursor.doc_count)),
      leaf_bounds_(leaves_.size()),
      queue_(context),
      length_filter_(context.query) {
  const std::span<const OpenClause> clauses = context_.query.clauses();
  for (uint32_t i = 0; i < clauses.size(); ++i) {
    if (IsRequired(clauses[i].occur)) required_.push_back(i);
  }
  for (const ScoringLeaf& leaf : leaves_) {
    may_queue_ = may_queue_ && !leaf.leaf->PrefersFilledWindow();
  }
  if (leaves_.size() > kManyLeaves && !context_.scores_all &&
      WindowScores::CanSearch(context_.query)) {
    window_scores_.emplace(context_);
  }
  if (PrepareBounds()) ComputeBounds();
}

// False if the context has timed out.
bool WindowSearch::PrepareBounds() {
  CursorContext& cursor = context_.segment.cursor;
  const uint64_t windows = WindowCount(cursor.doc_count);
  for (const ScoringLeaf& leaf : leaves_) {
    const uint64_t blocks = leaf.leaf->Estimate() / kBlockPostings;
    if (cursor.IsOver(64 + windows / 4 + blocks / 4)) return false;
    leaf.leaf->PrepareBounds();
  }
  return !cursor.timed_out;
}

// True if leaf_bounds_ leave a document that may match: one with a leaf of each required clause.
bool WindowSearch::MayMatch() const {
  const std::span<const OpenClause> clauses = context_.query.clauses();
  bool any_leaf = false;
  bool any_of_clause = false;
  for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    any_of_clause = any_of_clause || leaf_bounds_[leaf] > 0;
    if (!leaves_[leaf].ends_clause) continue;
    if (!any_of_clause && IsRequired(clauses[leaves_[leaf].clause].occur)) return false;
    any_leaf = any_leaf || any_of_clause;
    any_of_clause = false;
  }
  return any_leaf;
}

void WindowSearch::ComputeBounds() {
  bounds_.resize(WindowCount(context_.segment.cursor.doc_count));
  for (uint32_t window = 0; window < bounds_.size(); ++window) {
    if (context_.segment.cursor.IsOver(1 + leaves_.size() / 4)) return;
    for (size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      leaf_bounds_[leaf] = leaves_[leaf].leaf->Bound(window);
    }
    bounds_[window] = MayMatch() ? context_.query.score_sum().Of(leaf_bounds_) : -1.0f;
  }
}

// Sorts the scoring leaves that have documents in the window. False if there are none.
bool WindowSearch::SortLeaves(uint32_t window) {
  order_.clear();
  window_bound_ = 0;
  for (uint32_t i = 0; i < leaves_.size(); ++i) {
    leaf_bounds_[i] = leaves_[i].leaf->Bound(window);
    if (leaf_bounds_[i] == 0) continue;
    window_bound_ += leaf_bounds_[i];
    order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
    const float left = leaf_bounds_[a];
    const float right = leaf_bounds_[b];
    return left != right ? left > right : a < b;
  });
  return !order_.empty();
}

void WindowSearch::Search(uint32_t window, float min_score) {
  if (bounds_[window] < std::max(min_score, 0.0f) || !SortLeaves(window)) return;
  if (window_scores_.has_value() && order_.size() > kManyLeaves) {
    queue_.Finish();
    return window_scores_->Search(window, leaf_bounds_, min_score);
  }
  WindowBits candidates;
  has_sums_ = false;
  if (required_.empty()) {
    FillFromEssential(window, min_score, candidates);
  } else {
    FillFromRequired(window, min_score, candidates);
  }
  if (IsOver()) return;
  RetainLive(context_.segment.cursor.live_docs, window, candidates);
  if (min_score <= 0 && order_.size() > 1 && !context_.scores_all &&
      candidates.Count() > std::max<size_t>(kFewCandidates, context_.top.room())) {
    const WindowBits first = MostPromising(window, candidates);
    if (IsOver()) return;
    QueueAll(window, first, min_score);
    candidates.AndNot(first);
  }
  QueueAll(window, candidates, min_score);
}

// For a window with many candidates while there is no minimum competitive score yet: finds about as
// many documents as the top k has room for, those with the highest sums. Once they are scored, the
// minimum competitive score rules most other candidates out.
WindowBits WindowSearch::MostPromising(uint32_t window, const WindowBits& candidates) {
  SumAllLeaves(window);
  const uint64_t room = std::max<uint64_t>(context_.top.room(), 1);
  const uint64_t enough = room + room / 4 + 8;
  WindowBits best = candidates;
  float low = 0;
  auto high = static_cast<float>(window_bound_);
  for (int step = 0; step < 12 && best.Count() > enough; ++step) {
    const float middle = (low + high) / 2;
    WindowBits above = candidates;
    context_.segment.kernels.keep_sums(*sums_, middle, above);
    if (above.Count() >= room) {
      low = middle;
      best = above;
    } else {
      high = middle;
    }
  }
  return best;
}

void WindowSearch::SumAllLeaves(uint32_t window) {
  ClearSums();
  for (const uint32_t i : order_) {
    if (IsOver()) return;
    leaves_[i].leaf->AddScores(window, *sums_);
  }
  others_ = 0;
  has_sums_ = true;
}

void WindowSearch::QueueAll(uint32_t window, const WindowBits& candidates, float min_score) {
  // So many candidates are scored at once. To wait for a full batch would raise the minimum
  // competitive score later, and a batch of so many costs little more for each.
  constexpr uint32_t kEnoughCandidates = 16;
  if (has_sums_) queue_.Finish();
  min_score = std::max(min_score, MinCompetitiveScore(window));
  float min_sum = MinScoreWithout(min_score, others_);
  for (uint32_t i = 0; i < leaves_.size(); ++i) queue_.SetBound(i, leaf_bounds_[i]);
  candidates.ForEach([&](uint32_t doc) {
    if (has_sums_ && sums_->of[doc] < min_sum) return true;
    if (!queue_.Add(window * kWindowDocs + doc)) return true;
    min_score = std::max(min_score, MinCompetitiveScore(window));
    min_sum = MinScoreWithout(min_score, others_);
    return bounds_[window] >= min_score && !context_.segment.cursor.timed_out;
  });
  if (!may_queue_ || has_sums_ || min_score <= 0 || queue_.size() >= kEnoughCandidates) {
    queue_.Finish();
  }
}

// Leaves whose upper bounds together do not reach min_score are non-essential: a document that
// matches only these cannot reach it. The others are essential and give the candidates.
void WindowSearch::FillFromEssential(uint32_t window, float min_score, WindowBits& bits) {
  non_essential_bounds_.assign(leaves_.size(), 0.0f);
  for (essential_count_ = order_.size(); essential_count_ > 0; --essential_count_) {
    const uint32_t leaf = order_[essential_count_ - 1];  // by rising bound
    non_essential_bounds_[leaf] = leaf_bounds_[leaf];
    if (context_.query.score_sum().Of(non_essential_bounds_) >= min_score) break;
  }
  if (min_score <= 0 || order_.size() < 2) return FillFromAnyOf(window, min_score, bits);
  if (windows_without_pairs_ > 0) {
    --windows_without_pairs_;
    FillFromAnyOf(window, min_score, bits);
  } else {
    FillFromPairs(window, min_score, bits);
  }
  const uint32_t count = bits.Count();
  many_candidates_ = count > kManyCandidates;
  if (count > (order_.size() == 2 ? kFewCandidatesOfTwoLeaves : kFewCandidates)) {
    DropBySums(window, min_score, bits);
  }
}

// Adds the documents of each essential leaf.
void WindowSearch::FillFromAnyOf(uint32_t window, float min_score, WindowBits& bits) {
  for (size_t i = 0; i < essential_count_ && !IsOver(); ++i) {
    FillLeaf(order_[i], window, min_score, bits);
  }
}

// A competitive document matches an essential leaf and another leaf, or one leaf with which it
// reaches min_score alone. The bits of the leaves show which documents match two of them. In log
// lines these are few, because the words of a line come from one template.
void WindowSearch::FillFromPairs(uint32_t window, float min_score, WindowBits& bits) {
  WindowBits once, twice, essential;
  for (size_t i = 0; i < order_.size(); ++i) {
    if (IsOver()) return;
    Leaf& leaf = *leaves_[order_[i]].leaf;
    WindowBits own;
    if (i < essential_count_) {
      FillLeaf(order_[i], window, min_score, own);
      essential.Or(own);
    } else if (leaf.term_postings() != nullptr) {
      leaf.Fill(window, own);
    } else {
      own.words.fill(~uint64_t{0});  // finding its documents costs more than to look some up
    }
    for (size_t word = 0; word < kWindowWords; ++word) {
      twice.words[word] |= once.words[word] & own.words[word];
      once.words[word] |= own.words[word];
    }
  }
  twice.And(essential);
  bits.Or(twice);
  for (const uint32_t i : order_) {
    if (leaf_bounds_[i] < min_score) break;  // by falling bound
    if (IsOver()) return;
    leaves_[i].leaf->FillCompetitive(window, min_score, bits);
  }
  constexpr uint32_t kWindowsUntilNextTry = 15;
  if (bits.Count() * 4 > essential.Count() * 3) windows_without_pairs_ = kWindowsUntilNextTry;
}

// Adds the documents of the leaf that can reach min_score together with the other leaves.
void WindowSearch::FillLeaf(uint32_t leaf, uint32_t window, float min_score, WindowBits& bits) {
  const bool are_many = order_.size() > kManyLeaves;
  const bool by_length = min_score > 0 && !many_candidates_ && !are_many;
  if (by_length && length_filter_.FillCompetitive(leaf, window, min_score, order_, bits)) return;
  const float least = are_many
                          ? MinScoreWithout(min_score, window_bound_ - leaf_bounds_[leaf])
                          : context_.query.score_sum().LeastScore(leaf, leaf_bounds_, min_score);
  if (least > leaf_bounds_[leaf]) return;
  leaves_[leaf].leaf->FillCompetitive(window, least, bits);
}

void WindowSearch::ClearSums() {
  if (sums_ == nullptr) sums_ = std::make_unique_for_overwrite<WindowSums>();
  sums_->of.fill(0);
}

// For many candidates: adds up the scores of the essential leaves in one pass over their postings,
// which rules most candidates out. Non-essential leaves count with their upper bounds. Their scores
// are added too, as long as that costs less than to look up every candidate that is left.
void WindowSearch::DropBySums(uint32_t window, float min_score, WindowBits& bits) {
  constexpr uint32_t kPostingsPerLookUp = 8;  // that are added while one candidate is looked up
  double others = 0;
  ClearSums();
  for (size_t i = 0; i < order_.size(); ++i) {
    if (IsOver()) return;
    if (i < essential_count_) {
      leaves_[order_[i]].leaf->AddScores(window, *sums_);
    } else {
      others += leaf_bounds_[order_[i]];
    }
  }
  const QueryKernels& kernels = context_.segment.kernels;
  kernels.keep_sums(*sums_, MinScoreWithout(min_score, others), bits);
  for (size_t n = essential_count_; n < order_.size(); ++n) {  // by falling bound
    const uint32_t i = order_[n];
    if (IsOver()) return;
    const uint32_t left = bits.Count();
    if (left <= kFewCandidates) break;
    if (left * kPostingsPerLookUp < leaves_[i].leaf->WindowEstimate(window)) break;
    leaves_[i].leaf->AddScores(window, *sums_);
    others = std::max(0.0, others - leaf_bounds_[i]);
    kernels.keep_sums(*sums_, MinScoreWithout(min_score, others), bits);
  }
  others_ = others;
  has_sums_ = true;
}

void WindowSearch::FillClause(uint32_t clause, uint32_t window, float min_score, WindowBits& bits) {
  for (uint32_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].clause != clause || leaf_bounds_[i] == 0) continue;
    if (IsOver()) return;
    FillLeaf(i, window, min_score, bits);
  }
}

// Removes the documents without a required term, if the term has a bit for each document.
void WindowSearch::RetainMembers(uint32_t clause, uint32_t window, WindowBits& bits) {
  const OpenClause& required = context_.query.clauses()[clause];
  if (!required.IsOneRequiredLeaf()) return;
  const uint64_t* members = required.leaves[0]->MemberBits();
  if (members == nullptr) return;
  const uint64_t first = uint64_t{window} * kWindowWords;
  const uint64_t count = std::min<uint64_t>(kWindowWords, member_words_ - first);
  for (uint64_t i = 0; i < count; ++i) bits.words[i] &= members[first + i];
}

// The required clause with the fewest documents gives the candidates. The other required clauses
// are filtered too where that costs less than to look up every candidate in them.
void WindowSearch::FillFromRequired(uint32_t window, float min_score, WindowBits& bits) {
  const auto estimate = [&](uint32_t clause) {
    uint32_t sum = 0;
    for (const auto& leaf : context_.query.clauses()[clause].leaves) {
      sum += leaf->WindowEstimate(window);
    }
    return sum;
  };
  std::sort(required_.begin(), required_.end(),
            [&](uint32_t a, uint32_t b) { return estimate(a) < estimate(b); });
  FillClause(required_[0], window, min_score, bits);
  for (size_t i = 1; i < required_.size(); ++i) RetainMembers(required_[i], window, bits);
  for (size_t i = 1; i < required_.size(); ++i) {
    constexpr uint32_t kFilteredPerLookUp = 128;  // postings filtered while one is looked up
    constexpr uint32_t kSetUpPostings = 4096;     // that the set-up of a filter costs
    const uint32_t candidates = bits.Count();
    if (candidates == 0) return;
    if (candidates * kFilteredPerLookUp < estimate(required_[i]) + kSetUpPostings) return;
    WindowBits competitive;
    FillClause(required_[i], window, min_score, competitive);
    bits.And(competitive);
  }
}

}  // namespace pmdex
