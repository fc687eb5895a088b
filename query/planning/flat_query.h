// A bound query as two levels: clauses, each of which matches by any of its leaves. Most queries
// have that shape: words, phrases and patterns that are required, optional or prohibited, each in
// one field or in several. A filter, and a group that nests deeper, is one leaf (group_leaf.h).
//
// The leaves point into the bound query, which must outlive them. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/language/query.h"
#include "query/planning/bound_query.h"
#include "query/planning/segment_set.h"

namespace pmdex {

struct FlatLeaf {
  const BoundQuery* query = nullptr;  // of any kind but kNone
  // Leaves with the same number form one sum: their scores are added and rounded to a float before
  // that float is added to the clause's score. A word of a group that is searched in several fields
  // is such a sum. The numbers ascend within the clause.
  uint32_t sum = 0;
};

struct FlatClause {
  Occur occur = Occur::kShould;
  std::vector<FlatLeaf> leaves;  // at least one
};

// The clauses in the order of the query, which is the order in which their scores are added.
// Empty if nothing can match.
std::vector<FlatClause> Flatten(const BoundQuery& root);

// The segments of the snapshot that have the required words. Where their dictionaries lack one, no
// document matches. segments: how many the snapshot has.
SegmentSet FindCandidateSegments(std::span<const FlatClause> clauses, size_t segments);

}  // namespace pmdex
