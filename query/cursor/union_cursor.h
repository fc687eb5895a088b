// The documents that match any, or a minimum number, of several clauses. A heap of (docid, clause)
// makes one step cost the logarithm of the number of clauses, and returns the clauses of one
// document in clause order.
//
// The score is the sum over the clauses that match. It is added in double, in clause order, and
// rounded to float once. With a tie breaker it is the best score and a part of the others
// (max_score.h). Every algorithm that adds in this order gets the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "query/cursor/cursor.h"

namespace pmdex {

class UnionCursor final : public DocCursor {
 public:
  explicit UnionCursor(std::vector<CursorPointer> clauses)
      : UnionCursor(std::move(clauses), 1, std::nullopt, nullptr) {}
  // minimum: so many clauses must match; at least 1. tie_breaker: nullopt for a sum of scores.
  // context: may be nullptr if there is no deadline.
  UnionCursor(std::vector<CursorPointer> clauses, uint32_t minimum,
              std::optional<float> tie_breaker, CursorContext* context);

  DocId Next() override;
  DocId Seek(DocId target) override;
  float Score() override;
  uint64_t Cost() const override { return cost_; }

 private:
  static uint64_t Key(DocId doc, uint32_t clause) { return uint64_t{doc} << 32 | clause; }
  void Push(uint32_t clause);
  uint32_t Pop();
  void Collect();
  void Leave();
  DocId Settle();

  std::vector<CursorPointer> clauses_;
  std::vector<uint64_t> heap_;      // smallest key first; clauses that stand after doc_
  std::vector<uint32_t> matching_;  // clauses that stand on doc_, ascending; not in the heap
  uint64_t cost_ = 0;
  uint32_t minimum_;
  std::optional<float> tie_breaker_;
  CursorContext* context_;
};

}  // namespace pmdex
