// Candidates of one window after the other on their way into the top k: they wait until there are
// enough for a batch (candidate_batch.h), of however many windows. Where a window has a handful, a
// batch for each would cost more than what is in it.
//
// Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/scoring/candidate_batch.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/result/top_k.h"

namespace pmdex {

class CandidateQueue {
 public:
  // score_all: no candidate is passed over because its score is too low. context: of the search,
  // nullptr: it has no deadline. What it is given must outlive it.
  CandidateQueue(std::span<const OpenClause> clauses, uint64_t doc_base, bool score_all, TopK& top,
                 CursorContext* context = nullptr);

  double slack() const { return batch_.slack(); }
  // The documents that come next score at most `bound` in a leaf, of those that can add to a score
  // in the order of the query; 0: it has none of them. To be said of every leaf.
  void Expect(uint32_t leaf, float bound) {
    rows_[leaf].next = bound;
    rows_[leaf].bound = std::max(rows_[leaf].bound, bound);
    ordered_ = false;
  }
  // Ascending between two calls of Finish. Returns whether it made a batch full, which was scored.
  bool Add(DocId doc) {
    batch_.Add(doc);
    if (!batch_.full()) return false;
    Finish();
    return true;
  }
  // Scores what waits; drops it once the context says that time is over.
  void Finish();

  uint32_t size() const { return batch_.size(); }
  uint64_t scored() const { return scored_; }  // documents that got a score

 private:
  struct Row {
    Leaf* leaf = nullptr;
    bool decides = false;  // the only leaf of a required clause: no match, no document
    float bound = 0;       // of the candidates that wait
    float next = 0;        // of those to come
  };

  void Order();
  // Before a leaf is asked about a batch.
  bool IsOver() {
    constexpr uint64_t kBatchWork = 64;
    return context_ != nullptr && context_->IsOver(kBatchWork);
  }

  std::span<const OpenClause> clauses_;
  uint64_t doc_base_;
  bool score_all_;
  TopK& top_;
  CursorContext* context_;
  std::vector<Row> rows_;
  std::vector<uint32_t> order_;  // in which they are asked, once ordered_
  double bound_ = 0;             // of all of them together
  bool ordered_ = false;
  uint64_t scored_ = 0;
  CandidateBatch batch_;
};

}  // namespace pmdex
