// Documents that match any of several cursors: a heap of (docid, clause), so one step costs the log
// of the number of clauses, and clauses that meet in a document come out in clause order.
//
// The score is the sum over the clauses that match, added in clause order in double and rounded to
// float once: every algorithm that adds in this order gets the same bits.
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
  std::vector<uint64_t> heap_;      // smallest key first; clauses behind doc_
  std::vector<uint32_t> matching_;  // clauses that stand on doc_, ascending; not in the heap
  uint64_t cost_ = 0;
};

}  // namespace pmdex
