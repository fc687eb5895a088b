// The clauses of a flat query, opened in one segment, and the table of its scoring leaves. One
// thread uses an OpenQuery.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"

#include "pmem/status.h"
#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/scoring/score_sum.h"
#include "query/planning/flat_query.h"
#include "query/planning/search_plan.h"

namespace pmdex {

struct OpenClause {
  Occur occur = Occur::kShould;
  absl::InlinedVector<std::unique_ptr<Leaf>, 1> leaves;  // at least one
  absl::InlinedVector<uint32_t, 1> sums;                 // FlatLeaf::sum of each leaf

  uint64_t Estimate() const;   // documents, about
  bool EstimateReads() const;  // true for one of the leaves
  // True if a document without the clause's only leaf cannot match the query.
  bool IsOneRequiredLeaf() const { return IsRequired(occur) && leaves.size() == 1; }
  // Adds the documents of all leaves to `bits`.
  void Fill(uint32_t window, WindowBits& bits) const;
  // Removes from `bits` the documents that no leaf has.
  void Retain(uint32_t window, WindowBits& bits) const;
};

// A leaf that can add to a score or must match: one of a clause that is not prohibited. A leaf of a
// filter scores 0.
struct ScoringLeaf {
  Leaf* leaf = nullptr;
  uint32_t clause = 0;         // index of its clause
  bool is_required = false;    // the only leaf of a required clause
  bool is_clause = false;      // the only leaf of its clause
  bool ends_sum = false;       // the last leaf of its sum
  bool ends_clause = false;    // the last leaf of its clause
  bool ends_required = false;  // the last leaf of a required clause with several leaves
};

class OpenQuery {
 public:
  // minimum_should_match: so many optional clauses must match.
  explicit OpenQuery(std::vector<OpenClause> clauses, uint32_t minimum_should_match = 0);

  // In the order of the query; none if nothing can match in the segment.
  std::span<const OpenClause> clauses() const { return clauses_; }
  // In the order of the query. All data about scoring leaves is indexed like this table, and a
  // "leaf number" is an index into it.
  std::span<const ScoringLeaf> scoring_leaves() const { return scoring_leaves_; }
  // The number of the clause's first scoring leaf. Requires a clause that is not prohibited.
  uint32_t FirstLeafOf(size_t clause) const;
  // How the scores of the scoring leaves make the score of a document. One row for each of them.
  const ScoreSum& score_sum() const { return score_sum_; }
  // The margin of a sum over all scoring leaves that is added in another order than a score
  // (rounding_margin.h).
  double rounding_margin() const { return rounding_margin_; }
  // So many optional clauses must match, besides what the required clauses demand.
  uint32_t minimum_should_match() const { return minimum_should_match_; }
  // What the planner needs to know of the clauses.
  absl::InlinedVector<SegmentClause, 8> Describe() const;

 private:
  std::vector<OpenClause> clauses_;
  uint32_t minimum_should_match_ = 0;
  absl::InlinedVector<ScoringLeaf, 4> scoring_leaves_;
  ScoreSum score_sum_;
  double rounding_margin_ = 0;
};

// Leaves out clauses without a document in the segment, and all clauses if nothing can match there.
// The bound query and the context must outlive the result. kDataLoss if a posting list is damaged.
// minimum_should_match: of the query (SearchPlan).
absl::StatusOr<OpenQuery> OpenClauses(std::span<const FlatClause> clauses, SegmentContext& context,
                                      uint32_t minimum_should_match = 0);

}  // namespace pmdex
