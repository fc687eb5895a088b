// MaxScore over the windows of one segment. Upper bounds of the leaves rule out windows and make
// leaves non-essential; the essential leaves give the candidates; these are scored exactly and go
// to the top k. SegmentSearch chooses the order of the windows.
//
// After: H. Turtle, J. Flood, Query evaluation: strategies and optimizations, 1995 (MaxScore);
// S. Ding, T. Suel, Faster top-k document retrieval using block-max indexes, SIGIR 2011; and
// Lucene's MaxScoreBulkScorer for the windows.
//
// One thread uses a WindowSearch; what the context refers to must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "query/algorithm/leaf/rounding_margin.h"
#include "query/algorithm/scoring/candidate_queue.h"
#include "query/algorithm/scoring/length_filter.h"
#include "query/algorithm/scoring/ranking_context.h"
#include "query/algorithm/scoring/window_scores.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class WindowSearch {
 public:
  // Computes the upper bounds of all windows. Requires a query with at least one clause. If the
  // context has timed out afterwards, there are no bounds and no window may be searched.
  explicit WindowSearch(const RankingContext& context);

  // The upper bound of the scores in each window; negative if no document there can match.
  std::span<const float> bounds() const { return bounds_; }
  // The minimum competitive score of the window's documents.
  float MinCompetitiveScore(uint32_t window) const {
    return context_.MinCompetitiveScore(window * kWindowDocs);
  }
  // Finds every document of the window that scores at least `min_score`, and perhaps others. Some
  // of them may stay queued and are scored with documents of later windows. Windows ascend between
  // two calls of Finish.
  void Search(uint32_t window, float min_score);
  // Scores the queued documents. Afterwards every competitive document found is in the top k.
  void Finish() { queue_.Finish(); }

  // Documents that got a score.
  uint64_t scored() const {
    return queue_.scored() + (window_scores_.has_value() ? window_scores_->scored() : 0);
  }

 private:
  float MinScoreWithout(double min_score, double others) const {
    return MinScoreBeside(min_score, others, context_.query.rounding_margin());
  }
  // Called before each leaf's work on a window.
  bool IsOver() {
    constexpr uint64_t kLeafWork = 64;
    return context_.segment.cursor.IsOver(kLeafWork);
  }
  bool PrepareBounds();
  bool MayMatch() const;
  void ComputeBounds();
  bool SortLeaves(uint32_t window);
  WindowBits MostPromising(uint32_t window, const WindowBits& candidates);
  void QueueAll(uint32_t window, const WindowBits& candidates, float min_score);
  void FillLeaf(uint32_t leaf, uint32_t window, float min_score, WindowBits& bits);
  void RetainMembers(uint32_t clause, uint32_t window, WindowBits& bits);
  void FillFromRequired(uint32_t window, float min_score, WindowBits& bits);
  void FillFromEssential(uint32_t window, float min_score, WindowBits& bits);
  void FillFromAnyOf(uint32_t window, float min_score, WindowBits& bits);
  void FillFromPairs(uint32_t window, float min_score, WindowBits& bits);
  void ClearSums();
  void SumAllLeaves(uint32_t window);
  void DropBySums(uint32_t window, float min_score, WindowBits& bits);
  void FillClause(uint32_t clause, uint32_t window, float min_score, WindowBits& bits);

  const RankingContext context_;
  std::span<const ScoringLeaf> leaves_;
  uint64_t member_words_;  // how many words Leaf::MemberBits has
  std::vector<float> bounds_;
  std::vector<float> leaf_bounds_;           // upper bound of each scoring leaf in the window
  std::vector<float> non_essential_bounds_;  // the same, but 0 for essential leaves
  std::vector<uint32_t> required_;           // clauses; FillFromRequired sorts them for each window
  std::vector<uint32_t> order_;  // scoring leaves with documents in the window, by falling bound
  size_t essential_count_ = 0;   // the first ones in order_ are essential
  double window_bound_ = 0;      // the sum of their bounds
  // The last window had so many candidates that filtering by length did not pay.
  bool many_candidates_ = false;
  // How many of the next windows do not try FillFromPairs, because it last ruled out few documents.
  uint32_t windows_without_pairs_ = 0;
  bool may_queue_ = true;                      // candidates may stay queued for a later window
  std::optional<WindowScores> window_scores_;  // for many leaves, if it can search them
  CandidateQueue queue_;
  LengthFilter length_filter_;
  // While has_sums_, no candidate of the window scores more than its sum in sums_ plus others_.
  bool has_sums_ = false;
  double others_ = 0;
  std::unique_ptr<WindowSums> sums_;  // made when first used, because many queries never use it
};

}  // namespace pmdex
