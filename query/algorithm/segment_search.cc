#include "query/algorithm/segment_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "absl/container/inlined_vector.h"

#include "query/planning/planner.h"

namespace pmdex {
namespace {

constexpr float kNoMinimum = -std::numeric_limits<float>::infinity();

}  // namespace

absl::Status SegmentSearch::Open() {
  PMDEX_ASSIGN_OR_RETURN(
      query_, OpenClauses(search_.plan.clauses, context_, search_.plan.minimum_should_match));
  PMDEX_RETURN_IF_ERROR(damage());
  timed_out_ = context_.cursor.timed_out;
  if (!timed_out_) Start();
  return absl::OkStatus();
}

// True if no document of the segment can enter the top k, and matches need not be counted here.
bool SegmentSearch::HasNothingCompetitive(const RankingContext& ranking) const {
  const float min_score = ranking.MinCompetitiveScore(0);
  if (min_score == kNoMinimum || search_.plan.count == CountMethod::kWithRanking) return false;
  absl::InlinedVector<float, 8> bounds;
  for (const ScoringLeaf& leaf : query_->scoring_leaves()) {
    bounds.push_back(leaf.leaf->SegmentBound());
  }
  return query_->score_sum().Of(bounds) < min_score;
}

RankingContext SegmentSearch::Ranking() {
  return {context_, *query_, top_, search_.plan.count == CountMethod::kByScoring};
}

void SegmentSearch::Start() {
  plan_ = PlanSegmentSearch(search_.plan, query_->Describe());
  const RankingContext ranking = Ranking();
  ShareMinScore();
  is_full_at_start_ = top_.full();
  if (HasNothingCompetitive(ranking)) return;
  switch (plan_.algorithm) {
    case Algorithm::kLeadList:
      lead_.emplace(ranking, query_->FirstLeafOf(plan_.lead));
      return;
    case Algorithm::kWholeLists:
      lists_.emplace(ranking);
      return;
    case Algorithm::kMaxScoreWindows:
      // Threads that share a query have a part of the segment each, and it searches all of it.
      if (shared_ == nullptr) {
        if (const auto plan = FilteredTermSearch::PlanFor(ranking)) {
          filtered_.emplace(ranking, *plan);
          return;
        }
      }
      return StartWindows(ranking);
    default:
      return;
  }
}

void SegmentSearch::StartWindows(const RankingContext& ranking) {
  windows_.emplace(ranking);
  timed_out_ = context_.cursor.timed_out;
  if (timed_out_) windows_.reset();  // it has no bounds
}

void SegmentSearch::Run(uint32_t first, uint32_t last) {
  if (lead_.has_value()) return RunLead(*lead_, first, last);
  if (lists_.has_value() && RunLists(first, last)) return;
  if (filtered_.has_value() && RunFiltered(first, last)) return;
  if (windows_.has_value()) RunWindows(first, last);
}

// Searches the documents of the lists. If other documents may be competitive, forgets what it found
// but the minimum score, makes windows_ and returns false.
bool SegmentSearch::RunLists(uint32_t first, uint32_t last) {
  const RankingContext ranking = Ranking();
  const TopK before = top_;
  const auto is_competitive = [&](float bound) {
    top_.Tighten();
    return bound > 0 && bound >= ranking.MinCompetitiveScore(first * kWindowDocs);
  };
  for (LeadSearch& lead : lists_->short_leads()) RunLead(lead, first, last);
  if (IsOver() || !is_competitive(lists_->bound_beside_short())) return true;
  for (LeadSearch& lead : lists_->LongLeads()) RunLead(lead, first, last);
  if (IsOver() || !is_competitive(lists_->bound_beside_lists())) return true;
  Forget(before);
  if (!windows_.has_value()) StartWindows(ranking);
  return false;
}

// Brings back the top k of before a search that did not find all, but keeps what it found out about
// the minimum score.
void SegmentSearch::Forget(const TopK& before) {
  const float min_score = top_.full() ? top_.threshold() : kNoMinimum;
  top_ = before;
  top_.RaiseMinCompetitiveScore(min_score);
}

// False if windows have to find the documents, for which it makes windows_. A part of the segment
// is left to them.
bool SegmentSearch::RunFiltered(uint32_t first, uint32_t last) {
  const TopK before = top_;
  const bool is_all = first == 0 && last >= WindowCount(context_.cursor.doc_count);
  if (is_all && !windows_.has_value() && (filtered_->Run() || IsOver())) return true;
  if (is_all) Forget(before);
  if (!windows_.has_value()) StartWindows(Ranking());
  return false;
}

void SegmentSearch::RunWindows(uint32_t first, uint32_t last) {
  const std::span<const float> bounds = windows_->bounds();
  last = std::min(last, static_cast<uint32_t>(bounds.size()));
  std::vector<uint32_t> best;
  const bool scores_all = search_.plan.count == CountMethod::kByScoring;
  if (!scores_all && windows_->MinCompetitiveScore(first) == kNoMinimum) {
    best = BestWindows(first, last);
  }
  for (const uint32_t window : best) {
    if (IsOver()) return;
    SearchWindow(window);
    windows_->Finish();
  }
  for (uint32_t window = first; window < last && !IsOver(); ++window) {
    if (bounds[window] < 0 || std::find(best.begin(), best.end(), window) != best.end()) {
      continue;
    }
    SearchWindow(window);
  }
  windows_->Finish();
  timed_out_ = timed_out_ || context_.cursor.timed_out;
  ShareMinScore();
}

void SegmentSearch::FindCommonDocs(bool counts) {
  if (!lead_.has_value() || IsOver()) return;
  const bool is_competitive = Ranking().MinCompetitiveScore(0) <= lead_->bound();
  if (counts || is_competitive) matches_ = lead_->CountCommonDocs();
}

MatchCount SegmentSearch::Count(uint64_t limit) {
  if (matches_.has_value()) return {*matches_, false};
  if (!lead_ && !lists_ && !windows_ && !filtered_) return {};
  return CountOpen(*query_, plan_, context_, limit);
}

// Windows find the documents of the lists once more.
uint64_t SegmentSearch::scored() const {
  if (windows_.has_value()) return windows_->scored();
  if (lead_.has_value()) return lead_->scored();
  if (filtered_.has_value()) return filtered_->scored();
  return lists_.has_value() ? lists_->scored() : 0;
}

// Searches for a falling minimum score, until there are k documents and none that scores less than
// the minimum can be better. Where other segments have k documents already, it searches once: their
// k-th score is about the one that the last search would need.
void SegmentSearch::RunLead(LeadSearch& lead, uint32_t first, uint32_t last) {
  constexpr uint32_t kPostingsAtOnce = 64 * kBlockPostings;  // between looks at the deadline
  if (IsOver() || Ranking().MinCompetitiveScore(first * kWindowDocs) > lead.bound()) return;
  lead.FilterShortLead();
  const auto [begin, end] = lead.Postings(first, last);
  constexpr std::array<float, 6> kParts = {0.9f, 0.75f, 0.6f, 0.4f, 0.2f, 0.0f};
  // One batch of candidates costs less than to leave some of them out, and with k documents known
  // their k-th score leaves out enough.
  const uint64_t most = std::min<uint64_t>(end - begin, lead.candidates());
  const bool is_one_pass = is_full_at_start_ || most <= CandidateBatch::kMost;
  for (const float part : std::span(kParts).last(is_one_pass ? 1 : kParts.size())) {
    const float min_score = part > 0 ? part * lead.bound() : kNoMinimum;
    for (uint32_t from = begin; from < end; from += std::min(kPostingsAtOnce, end - from)) {
      if (IsOver()) return;
      ShareMinScore();
      lead.Search(from, from + std::min(kPostingsAtOnce, end - from), min_score);
      ShareMinScore();
    }
    timed_out_ = timed_out_ || context_.cursor.timed_out;
    if (timed_out_) return;
    top_.Tighten();
    if (Ranking().MinCompetitiveScore(first * kWindowDocs) >= min_score) return;
  }
}

void SegmentSearch::SearchWindow(uint32_t window) {
  ShareMinScore();
  windows_->Search(window, windows_->MinCompetitiveScore(window));
  ShareMinScore();
}

// Tells the other threads the minimum competitive score of this one, and takes theirs.
void SegmentSearch::ShareMinScore() {
  if (shared_ == nullptr) return;
  if (top_.full()) shared_->Raise(top_.threshold());
  top_.RaiseMinCompetitiveScore(shared_->get());
}

// A few windows with the greatest upper bounds, more of them for a greater k.
std::vector<uint32_t> SegmentSearch::BestWindows(uint32_t first, uint32_t last) const {
  constexpr size_t kWindowsPerBest = 16;
  const std::span<const float> bounds = windows_->bounds();
  std::vector<uint32_t> windows;
  for (uint32_t i = first; i < last; ++i) {
    if (bounds[i] >= 0) windows.push_back(i);
  }
  const size_t most = std::min<size_t>(4 + top_.k() / 64, 32);
  const size_t count = std::min(most, (windows.size() + kWindowsPerBest - 1) / kWindowsPerBest);
  std::partial_sort(windows.begin(), windows.begin() + static_cast<ptrdiff_t>(count), windows.end(),
                    [&](uint32_t a, uint32_t b) {
                      return bounds[a] != bounds[b] ? bounds[a] > bounds[b] : a < b;
                    });
  windows.resize(count);
  return windows;
}

bool SegmentSearch::IsOver() {
  const CursorContext& cursor = context_.cursor;
  timed_out_ = timed_out_ || cursor.timed_out || IsPast(cursor.deadline);
  return timed_out_ || !cursor.damage.ok();
}

}  // namespace pmdex
