// Scores every document of a window at once, for queries of many words, as a fuzzy word becomes
// one. It adds the scores of all postings, in the order and with the roundings of ScoreSum, so that
// each sum is the score itself. To find the documents that many lists share, and to look each of
// them up in every list, would cost more.
//
// One thread uses a WindowScores; what the context refers to must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "query/algorithm/scoring/ranking_context.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class WindowScores {
 public:
  // True if a document matches as soon as it has a scoring leaf, and all these are terms: no leaf
  // is a phrase, a pattern or a group, and no clause is required beside another one.
  static bool CanSearch(const OpenQuery& query);

  // Requires CanSearch.
  explicit WindowScores(const RankingContext& context);

  // Adds the documents of the window that score at least `min_score` to the top k. leaf_bounds: of
  // each scoring leaf in the window; 0 if it has no document there. Adds none if the context has
  // timed out.
  void Search(uint32_t window, std::span<const float> leaf_bounds, float min_score);

  uint64_t scored() const { return scored_; }  // documents that were added

 private:
  bool AddUp(uint32_t window, std::span<const float> leaf_bounds);
  void RemoveProhibited(uint32_t window, WindowBits& bits);
  bool IsOver() {
    constexpr uint64_t kLeafWork = 64;
    return context_.segment.cursor.IsOver(kLeafWork);
  }

  // The parts of scores that are rounded to float before they are added. All are 0 between windows.
  struct Parts {
    WindowTotals of_clause;
    WindowTotals of_sum;
  };

  const RankingContext context_;
  uint64_t scored_ = 0;
  std::unique_ptr<WindowTotals> scores_;  // of each document of the window
  // nullptr if all leaves make one sum, which is rounded once, as the score is.
  std::unique_ptr<Parts> parts_;
};

}  // namespace pmdex
