// The documents that match all of the required clauses, and at least a minimum number of the
// optional ones, which otherwise only add to the score. The rarest required clause leads, and the
// others seek its documents.
//
// The score is the sum over all clauses that match and are scored, required and optional. It is
// added in double, in the order of the clauses, and rounded to float once.
#pragma once

#include <vector>

#include "query/cursor/cursor.h"

namespace pmdex {

class ConjunctionCursor final : public DocCursor {
 public:
  struct Clause {
    bool required = true;
    CursorPointer cursor;
    bool scored = true;
  };
  // Requires at least one required clause. context: may be nullptr if there is no deadline.
  // minimum: so many optional clauses must match.
  explicit ConjunctionCursor(std::vector<Clause> clauses, CursorContext* context = nullptr,
                             uint32_t minimum = 0);

  DocId Next() override;
  DocId Seek(DocId target) override;
  float Score() override;
  uint64_t Cost() const override { return required_[0]->Cost(); }

 private:
  DocId Align(DocId candidate);
  DocId Agree(DocId candidate);
  bool HasMinimum(DocId doc);

  std::vector<Clause> clauses_;       // in the order given, which is the order of the sum
  std::vector<DocCursor*> required_;  // by ascending cost
  CursorContext* context_;
  uint32_t minimum_;
};

}  // namespace pmdex
