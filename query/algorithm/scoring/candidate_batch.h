// Up to kMost candidate documents whose exact scores are computed together. Each leaf scores all of
// them at once, and candidates that can no longer reach the score they need are dropped before the
// next leaf. Dropping moves data and does not branch on a single candidate, because mispredicted
// branches are most of the cost where documents are scored one by one.
//
// CandidateQueue (for WindowSearch) and LeadSearch fill batches and choose the order of the leaves.
// Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/result/top_k.h"

namespace pmdex {

// What a document that scores `needed` must have beside what the others give it. Sums of bounds are
// compared with scores that were added in another order and rounded on the way; slack: by how much
// they may differ, relatively.
float WithoutOthers(double needed, double others, double slack);
// The slack of a sum over so many leaves; 0 where there is nothing to add.
double SlackOfSum(size_t leaves);

class CandidateBatch {
 public:
  static constexpr uint32_t kMost = Leaf::kBatch;
  using Lane = Leaf::BatchLane;

  // Each leaf that can add to a score is a row: those of clauses that are not prohibited, in the
  // order of the query.
  explicit CandidateBatch(std::span<const OpenClause> clauses);

  double slack() const { return slack_; }

  void Clear();
  void Add(DocId doc) { docs_[count_++] = doc; }  // ascending; requires !full()
  bool full() const { return count_ == kMost; }
  uint32_t size() const { return count_; }
  std::span<const DocId> docs() const { return {docs_.data(), count_}; }

  // Has the leaf of `row` score the candidates. Drops those that cannot score `needed` even if the
  // leaves not yet asked give `possible`, and those that lack what is required.
  void Ask(uint32_t row, Leaf& leaf, float needed, double possible);
  // The same with the scores of a leaf that was asked by somebody else.
  Lane& ScoresOf(uint32_t row) { return scores_[row].of; }
  void Take(uint32_t row, float needed, double possible);

  // Once all leaves were asked: drops what lacks a required clause of several leaves, has nothing
  // at all, scores less than `needed` or is prohibited.
  void Finish(float needed, std::span<const OpenClause> clauses);
  // Afterwards: exactly what the exhaustive evaluator gives.
  float score(uint32_t i) const { return totals_[i]; }
  void AddTo(TopK& top, uint64_t doc_base) const;

 private:
  using Kept = std::array<bool, kMost>;

  struct Row {
    uint32_t clause = 0;
    bool is_clause = false;  // the only leaf of its clause
    bool decides = false;    // and that is required
    bool ends_sum = false;
    bool ends_clause = false;
    bool ends_required = false;  // the last row of a required clause of several
    bool asked = false;
  };

  void Keep(const Kept& kept);
  void KeepMatchesOf(uint32_t clause);
  void DropMatchesOf(Leaf& leaf);
  void AddUp();

  std::vector<Row> rows_;
  double slack_ = 0;
  uint32_t count_ = 0;
  std::array<DocId, kMost> docs_{};
  Lane known_{};   // what the leaves asked so far give together
  Lane any_{};     // the greatest of what they give, kNoMatch where that is nothing
  Lane needed_{};  // of the leaf at hand
  Lane totals_{};
  struct alignas(64) Scores {
    Lane of;
  };
  std::vector<Scores> scores_;  // a row each
};

}  // namespace pmdex
