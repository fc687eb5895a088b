#include "query/algorithm/window_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pmdex {
namespace {

// Candidates that are looked up one by one whatever they are.
constexpr uint32_t kFew = 32;
constexpr uint32_t kFewOfTwo = 80;  // the same where two leaves are asked
// So many that sums settle them, however they were filtered.
constexpr uint32_t kMuch = 160;

// In the order of the query.
std::vector<Leaf*> ScoringLeaves(std::span<const OpenClause> clauses) {
  std::vector<Leaf*> leaves;
  for (const OpenClause& clause : clauses) {
    if (clause.occur == Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves) leaves.push_back(leaf.get());
  }
  return leaves;
}

}  // namespace

WindowSearch::WindowSearch(std::vector<OpenClause> clauses, uint64_t doc_base,
                           CursorContext& context, const QueryKernels& kernels, bool score_all,
                           TopK& top)
    : clauses_(std::move(clauses)),
      doc_base_(doc_base),
      context_(context),
      kernels_(kernels),
      score_all_(score_all),
      member_words_(BitsetWords(context.doc_count)),
      top_(top),
      queue_(clauses_, doc_base, score_all, top, &context),
      lengths_(ScoringLeaves(clauses_), queue_.slack()) {
  for (uint32_t i = 0; i < clauses_.size(); ++i) {
    const OpenClause& clause = clauses_[i];
    if (clause.occur == Occur::kMustNot) continue;
    if (clause.occur == Occur::kMust) required_.push_back(i);
    for (size_t leaf = 0; leaf < clause.leaves.size(); ++leaf) {
      scorers_.push_back({clause.leaves[leaf].get(), i});
      waits_ = waits_ && !clause.leaves[leaf]->KnowsOneWindow();
    }
  }
  if (PrepareBounds()) ComputeBounds();
}

// False when time is over.
bool WindowSearch::PrepareBounds() {
  const uint64_t windows = WindowCount(context_.doc_count);
  for (const Scorer& scorer : scorers_) {
    const uint64_t blocks = scorer.leaf->Cost() / kBlockPostings;
    if (context_.IsOver(64 + windows / 4 + blocks / 4)) return false;
    scorer.leaf->PrepareBounds();
  }
  return !context_.timed_out;
}

float WindowSearch::Needed(uint32_t window) const {
  if (score_all_) return -std::numeric_limits<float>::infinity();
  return top_.NeededFrom(doc_base_ + uint64_t{window} * kWindowDocs);
}

// Nothing where a required clause has nothing, or all have nothing.
void WindowSearch::ComputeBounds() {
  bounds_.assign(WindowCount(context_.doc_count), 0.0f);
  std::vector<float> of_clause(bounds_.size());
  for (const OpenClause& clause : clauses_) {
    if (clause.occur == Occur::kMustNot) continue;
    std::fill(of_clause.begin(), of_clause.end(), 0.0f);
    for (const auto& leaf : clause.leaves) {
      if (context_.IsOver(bounds_.size() / 4)) return;
      for (uint32_t i = 0; i < bounds_.size(); ++i) of_clause[i] += leaf->Bound(i);
    }
    const bool required = clause.occur == Occur::kMust;
    for (uint32_t i = 0; i < bounds_.size(); ++i) {
      const bool impossible = bounds_[i] < 0 || (required && of_clause[i] == 0);
      bounds_[i] = impossible ? -1.0f : bounds_[i] + of_clause[i];
    }
  }
  for (float& bound : bounds_)
    bound = bound > 0 ? bound * static_cast<float>(1 + 2 * queue_.slack()) : -1.0f;
}

bool WindowSearch::EnterWindow(uint32_t window) {
  order_.clear();
  window_bound_ = 0;
  for (uint32_t i = 0; i < scorers_.size(); ++i) {
    Scorer& scorer = scorers_[i];
    scorer.bound = scorer.leaf->Bound(window);
    if (scorer.bound == 0) continue;
    window_bound_ += scorer.bound;
    order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
    const float left = scorers_[a].bound;
    const float right = scorers_[b].bound;
    return left != right ? left > right : a < b;
  });
  return !order_.empty();
}

void WindowSearch::Search(uint32_t window, float needed) {
  if (bounds_[window] < std::max(needed, 0.0f) || !EnterWindow(window)) return;
  WindowBits candidates;
  summed_ = false;
  if (required_.empty()) {
    FillOptional(window, needed, candidates);
  } else {
    FillRequired(window, needed, candidates);
  }
  if (IsOver()) return;
  if (needed <= 0 && order_.size() > 1 && !score_all_ &&
      candidates.Count() > std::max<size_t>(kFew, top_.room())) {
    const WindowBits first = Promising(window, candidates);
    if (IsOver()) return;
    OfferAll(window, first, needed);
    candidates.AndNot(first);
  }
  OfferAll(window, candidates, needed);
}

// Where nothing is known of what it takes, but much to choose from: about as many documents as
// there is room for, with the highest sums, so that these come first and most of the others need no
// look.
WindowBits WindowSearch::Promising(uint32_t window, const WindowBits& candidates) {
  SumUp(window);
  const uint64_t room = std::max<uint64_t>(top_.room(), 1);
  const uint64_t enough = room + room / 4 + 8;
  WindowBits best = candidates;
  float low = 0;
  auto high = static_cast<float>(window_bound_);
  for (int step = 0; step < 12 && best.Count() > enough; ++step) {
    const float middle = (low + high) / 2;
    WindowBits above = candidates;
    kernels_.keep_sums(*sums_, middle, above);
    if (above.Count() >= room) {
      low = middle;
      best = above;
    } else {
      high = middle;
    }
  }
  return best;
}

void WindowSearch::SumUp(uint32_t window) {
  ClearSums();
  for (const uint32_t i : order_) {
    if (IsOver()) return;
    scorers_[i].leaf->AddScores(window, *sums_);
  }
  others_ = 0;
  summed_ = true;
}

void WindowSearch::OfferAll(uint32_t window, const WindowBits& candidates, float needed) {
  // For a batch that costs little more than its candidates; to wait for more of them delays the
  // threshold.
  constexpr uint32_t kEnough = 16;
  if (summed_) queue_.Finish();
  needed = std::max(needed, Needed(window));
  float least_sum = Without(needed, others_);
  for (uint32_t i = 0; i < scorers_.size(); ++i) queue_.Expect(i, scorers_[i].bound);
  candidates.ForEach([&](uint32_t doc) {
    if (summed_ && sums_->of[doc] < least_sum) return true;
    if (!queue_.Add(window * kWindowDocs + doc)) return true;
    needed = std::max(needed, Needed(window));
    least_sum = Without(needed, others_);
    return bounds_[window] >= needed && !context_.timed_out;
  });
  if (!waits_ || summed_ || needed <= 0 || queue_.size() >= kEnough) queue_.Finish();
}

// Leaves whose bounds together do not reach `needed` need not offer documents: whatever they have
// without the others falls short.
void WindowSearch::FillOptional(uint32_t window, float needed, WindowBits& bits) {
  double left_out = 0;
  bool offers = false;
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {  // by rising bound
    Scorer& scorer = scorers_[*i];
    left_out += scorer.bound;
    offers = offers || left_out * (1 + queue_.slack()) >= needed;
    scorer.offers = offers;
    if (!offers) continue;
    if (IsOver()) return;
    FillPassing(*i, window, needed, bits);
  }
  if (needed <= 0 || order_.size() < 2) return;
  const uint32_t count = bits.Count();
  much_passes_ = count > kMuch;
  if (count > (order_.size() == 2 ? kFewOfTwo : kFew)) DropBySums(window, needed, bits);
}

void WindowSearch::FillPassing(uint32_t scorer, uint32_t window, float needed, WindowBits& bits) {
  const bool by_length = needed > 0 && !much_passes_;
  if (by_length && lengths_.FillPassing(scorer, window, needed, order_, bits)) return;
  const Scorer& here = scorers_[scorer];
  here.leaf->FillPassing(window, Without(needed, window_bound_ - here.bound), bits);
}

void WindowSearch::ClearSums() {
  if (sums_ == nullptr) sums_ = std::make_unique_for_overwrite<WindowSums>();
  sums_->of.fill(0);
}

// When filters let much pass: what the leaves that offer documents give them together, added up in
// one pass over their postings, settles most. The others count by their bounds, until so much is
// left that adding theirs costs less than looking each document up.
void WindowSearch::DropBySums(uint32_t window, float needed, WindowBits& bits) {
  constexpr uint32_t kPostingsPerLookUp = 8;
  double others = 0;
  ClearSums();
  for (const uint32_t i : order_) {
    if (IsOver()) return;
    if (scorers_[i].offers) {
      scorers_[i].leaf->AddScores(window, *sums_);
    } else {
      others += scorers_[i].bound;
    }
  }
  kernels_.keep_sums(*sums_, Without(needed, others), bits);
  for (const uint32_t i : order_) {  // by falling bound
    if (scorers_[i].offers) continue;
    if (IsOver()) return;
    const uint32_t left = bits.Count();
    if (left <= kFew || left * kPostingsPerLookUp < scorers_[i].leaf->WindowCost(window)) break;
    scorers_[i].leaf->AddScores(window, *sums_);
    others = std::max(0.0, others - scorers_[i].bound);
    kernels_.keep_sums(*sums_, Without(needed, others), bits);
  }
  others_ = others;
  summed_ = true;
}

void WindowSearch::FillClause(uint32_t clause, uint32_t window, float needed, WindowBits& bits) {
  for (uint32_t i = 0; i < scorers_.size(); ++i) {
    if (scorers_[i].clause != clause || scorers_[i].bound == 0) continue;
    if (IsOver()) return;
    FillPassing(i, window, needed, bits);
  }
}

// Where bits say at once which documents a required term has.
void WindowSearch::RetainMembers(uint32_t clause, uint32_t window, WindowBits& bits) {
  if (!clauses_[clause].IsOneRequiredLeaf()) return;
  const uint64_t* members = clauses_[clause].leaves[0]->MemberBits();
  if (members == nullptr) return;
  const uint64_t first = uint64_t{window} * kWindowWords;
  const uint64_t count = std::min<uint64_t>(kWindowWords, member_words_ - first);
  for (uint64_t i = 0; i < count; ++i) bits.words[i] &= members[first + i];
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
  for (size_t i = 1; i < required_.size(); ++i) RetainMembers(required_[i], window, bits);
  for (size_t i = 1; i < required_.size(); ++i) {
    // In postings that a filter reads while one candidate is looked up, and for its set-up.
    constexpr uint32_t kFilteredPerLookUp = 128;
    constexpr uint32_t kSetUp = 4096;
    const uint32_t candidates = bits.Count();
    if (candidates == 0) return;
    if (candidates * kFilteredPerLookUp < cost(required_[i]) + kSetUp) return;
    WindowBits passing;
    FillClause(required_[i], window, needed, passing);
    bits.And(passing);
  }
}

}  // namespace pmdex
