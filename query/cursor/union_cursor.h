// The documents that match any of several clauses. A heap of (docid, clause) makes one step cost
// the logarithm of the number of clauses, and returns the clauses of one document in clause order.
//
// The score is the sum over the clauses that match. It is added in double, in clause order, and
// rounded to float once. Every algorithm that adds in this order gets the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "query/cursor/cursor.h"

namespace pmdex {

class UnionCursor final : public DocCursor {
 public:
  explicit UnionCursor(std::vector<CursorPointer> clauses);

  DocId Next() override;
  DocId Seek(DocId target) override;
  float Score() override;
  uint64_t Cost() const override { return cost_; }

 private:
  static uint64_t Key(DocId doc, uint32_t clause) { return uint64_t{doc} << 32 | clause; }
  void Push(uint32_t clause);
  uint32_t Pop();
  DocId Settle();

  std::vector<CursorPointer> clauses_;
  std::vector<uint64_t> heap_;      // smallest key first; clauses that stand after doc_
  std::vector<uint32_t> matching_;  // clauses that stand on doc_, ascending; not in the heap
  uint64_t cost_ = 0;
};

}  // namespace pmdex
