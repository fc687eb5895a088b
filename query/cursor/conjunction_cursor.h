// The documents that match all of the required clauses; optional clauses only add to the score. The
// rarest required clause leads, and the others seek its documents.
//
// The score is the sum over all clauses that match, required and optional. It is added in double,
// in the order of the clauses, and rounded to float once.
#pragma once

#include <vector>

#include "query/cursor/cursor.h"

namespace pmdex {

class ConjunctionCursor final : public DocCursor {
 public:
  struct Clause {
    bool required = true;
    CursorPointer cursor;
  };
  // Requires at least one required clause. context: may be nullptr if there is no deadline.
  explicit ConjunctionCursor(std::vector<Clause> clauses, CursorContext* context = nullptr);

  DocId Next() override;
  DocId Seek(DocId target) override;
  float Score() override;
  uint64_t Cost() const override { return required_[0]->Cost(); }

 private:
  DocId Align(DocId candidate);

  std::vector<Clause> clauses_;       // in the order given, which is the order of the sum
  std::vector<DocCursor*> required_;  // by ascending cost
  CursorContext* context_;
};

}  // namespace pmdex
