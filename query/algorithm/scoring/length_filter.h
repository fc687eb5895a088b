// Filters the postings of a term by what the other leaves of the query can add for a document of
// the same length. The upper bound of another leaf in a window often comes from a short document. A
// long document with as many occurrences scores less there. So the filter bounds the other leaves
// for each length code by itself, and requires of the term what is left of the minimum score.
// Fewer documents pass than with the bounds of windows, and none that reaches the minimum is lost.
//
// One thread uses a LengthFilter; the query must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/scoring/open_query.h"

namespace pmdex {

class LengthFilter {
 public:
  explicit LengthFilter(const OpenQuery& query);

  // Adds every document of the window that matches scoring leaf number `leaf` and whose score in
  // the query is at least min_score > 0. May add others. present: the scoring leaves with documents
  // in the window, `leaf` among them. Returns false and adds nothing where no other term shares the
  // field's lengths or a table would cost more than it saves.
  bool FillCompetitive(uint32_t leaf, uint32_t window, float min_score,
                       std::span<const uint32_t> present, WindowBits& bits);

 private:
  struct Term {
    TermPostings* postings = nullptr;  // nullptr if the leaf is not a term
    uint32_t window = 0xffffffff;      // of `bounds`
    LengthBounds bounds;
  };

  bool IsWorthwhile(uint32_t leaf, uint32_t window, std::span<const uint32_t> present) const;
  const LengthBounds& BoundsOf(Term& term, uint32_t window);

  std::span<const ScoringLeaf> leaves_;
  double rounding_margin_;
  std::vector<Term> terms_;  // of each scoring leaf; empty if the query has too many leaves
  LengthBounds sum_;
};

}  // namespace pmdex
