// Scores up to kMost candidate documents together. One leaf after the other scores all of them, and
// the batch drops candidates that can no longer reach the minimum competitive score before the next
// leaf. Dropping moves data and does not branch on a single candidate: mispredicted branches are
// most of the cost where documents are scored one by one.
//
// CandidateQueue and LeadSearch fill batches and choose the order of the leaves. One thread uses a
// CandidateBatch; the query must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"

#include "query/algorithm/scoring/open_query.h"
#include "query/result/top_k.h"

namespace pmdex {

class CandidateBatch {
 public:
  static constexpr uint32_t kMost = Leaf::kBatch;
  using ScoreArray = Leaf::ScoreArray;

  explicit CandidateBatch(const OpenQuery& query);

  void Clear();
  void Add(DocId doc) { docs_[count_++] = doc; }  // ascending; requires !full()
  bool full() const { return count_ == kMost; }
  uint32_t size() const { return count_; }
  std::span<const DocId> docs() const { return {docs_.data(), count_}; }

  // No candidate scores more than `bound` with scoring leaf number `leaf`. To be set for each leaf
  // before the first one scores.
  void SetBound(uint32_t leaf, float bound) { bounds_[leaf] = bound; }
  // Scores the candidates with scoring leaf number `leaf`. Then drops those that the leaf excludes
  // and those that cannot reach `min_score` even if the leaves without scores yet add their bounds.
  void ScoreLeaf(uint32_t leaf, float min_score);
  // The same for scores that the caller has written to ScoresOf(leaf).
  ScoreArray& ScoresOf(uint32_t leaf) { return scores_[leaf].of; }
  void TakeScores(uint32_t leaf, float min_score);
  // The same where all candidates have this score, which is not below 0; drops none.
  void TakeConstant(uint32_t leaf, float score);

  // After all leaves: drops the candidates that miss a required clause or too many optional ones,
  // match nothing, score less
  // than `min_score` or match a prohibited clause.
  void Finish(float min_score);
  // After Finish: the exact scores, equal to those of the exhaustive search to the bit.
  float score(uint32_t i) const { return totals_[i]; }
  void AddTo(TopK& top, uint64_t doc_base) const;

 private:
  using Kept = std::array<bool, kMost>;

  double BoundsToCome(uint32_t except) const;
  void Keep(const Kept& kept);
  void KeepMatchesOf(uint32_t clause);
  void KeepMinimum();
  void DropMatchesOf(Leaf& leaf);
  // Writes totals_. Leaves without scores count with their bounds if with_bounds, else as 0.
  void AddUp(bool with_bounds);

  const OpenQuery& query_;
  absl::InlinedVector<uint8_t, 8> has_scores_;  // of each scoring leaf: it has scored this batch
  absl::InlinedVector<float, 8> bounds_;        // of each scoring leaf
  uint32_t count_ = 0;
  // Elements from count_ on are undefined.
  std::array<DocId, kMost> docs_;
  ScoreArray known_;                // the sum of the scores so far
  ScoreArray best_;                 // the greatest score so far; kNoMatch if no leaf matches
  ScoreArray min_scores_;           // for the leaf that scores
  ScoreArray totals_;               // scores, or bounds of them
  bool totals_are_scores_ = false;  // no bound is in totals_
  struct alignas(64) Scores {
    ScoreArray of;
  };
  absl::InlinedVector<Scores, 2> scores_;  // of each scoring leaf
};

}  // namespace pmdex
