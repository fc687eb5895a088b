#include "query/algorithm/scoring/open_query.h"

#include <algorithm>
#include <utility>

#include "query/algorithm/leaf/leaf_factory.h"
#include "query/algorithm/leaf/rounding_margin.h"
#include "query/algorithm/leaf/term_postings.h"

namespace pmdex {
namespace {

bool IsDocidList(const OpenClause& clause) {
  if (clause.leaves.size() != 1) return false;
  const TermPostings* postings = clause.leaves[0]->term_postings();
  return postings != nullptr && postings->has_docids();
}

}  // namespace

uint64_t OpenClause::Estimate() const {
  uint64_t documents = 0;
  for (const auto& leaf : leaves) documents += leaf->Estimate();
  return documents;
}

bool OpenClause::EstimateReads() const {
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const auto& leaf) { return leaf->EstimateReads(); });
}

void OpenClause::Fill(uint32_t window, WindowBits& bits) const {
  for (const auto& leaf : leaves) leaf->Fill(window, bits);
}

void OpenClause::Retain(uint32_t window, WindowBits& bits) const {
  if (leaves.size() == 1) return leaves[0]->Retain(window, bits);
  WindowBits docs;
  Fill(window, docs);
  bits.And(docs);
}

OpenQuery::OpenQuery(std::vector<OpenClause> clauses, uint32_t minimum_should_match)
    : clauses_(std::move(clauses)), minimum_should_match_(minimum_should_match) {
  scoring_leaves_.reserve(clauses_.size());
  for (uint32_t i = 0; i < clauses_.size(); ++i) {
    const OpenClause& clause = clauses_[i];
    if (clause.occur == Occur::kMustNot) continue;
    const size_t count = clause.leaves.size();
    for (size_t n = 0; n < count; ++n) {
      ScoringLeaf& leaf = scoring_leaves_.emplace_back();
      leaf.leaf = clause.leaves[n].get();
      leaf.clause = i;
      leaf.is_required = clause.IsOneRequiredLeaf();
      leaf.is_clause = count == 1;
      leaf.ends_clause = n + 1 == count;
      leaf.ends_sum = leaf.ends_clause || clause.sums[n] != clause.sums[n + 1];
      leaf.ends_required = IsRequired(clause.occur) && count > 1 && leaf.ends_clause;
    }
  }
  ScoreSum::Rows rows;
  rows.reserve(scoring_leaves_.size());
  for (const ScoringLeaf& leaf : scoring_leaves_) {
    rows.push_back({leaf.is_clause, leaf.ends_sum, leaf.ends_clause});
  }
  score_sum_ = ScoreSum(std::move(rows));
  rounding_margin_ = RoundingMarginOf(scoring_leaves_.size());
}

// Where a required list of docids is short, other clauses look its documents up, whatever they have
// themselves.
absl::InlinedVector<SegmentClause, 8> OpenQuery::Describe() const {
  constexpr uint64_t kShortList = 256;
  const bool has_short_list =
      std::any_of(clauses_.begin(), clauses_.end(), [](const OpenClause& clause) {
        return IsRequired(clause.occur) && IsDocidList(clause) && clause.Estimate() <= kShortList;
      });
  absl::InlinedVector<SegmentClause, 8> described;
  described.reserve(clauses_.size());
  for (const OpenClause& clause : clauses_) {
    const bool is_unknown = has_short_list && clause.EstimateReads();
    described.push_back({clause.occur, is_unknown ? kMaxDocsPerSegment : clause.Estimate(),
                         IsDocidList(clause), 0});
  }
  for (const ScoringLeaf& leaf : scoring_leaves_) {
    described[leaf.clause].bound += leaf.leaf->SegmentBound();
  }
  return described;
}

uint32_t OpenQuery::FirstLeafOf(size_t clause) const {
  uint32_t leaf = 0;
  while (scoring_leaves_[leaf].clause != clause) ++leaf;
  return leaf;
}

absl::StatusOr<OpenQuery> OpenClauses(std::span<const FlatClause> clauses, SegmentContext& context,
                                      uint32_t minimum_should_match) {
  std::vector<OpenClause> open;
  open.reserve(clauses.size());
  bool has_positive = false;
  uint32_t optional = 0;
  for (const FlatClause& clause : clauses) {
    OpenClause here{clause.occur, {}, {}};
    for (const FlatLeaf& leaf : clause.leaves) {
      PMDEX_ASSIGN_OR_RETURN(std::unique_ptr<Leaf> opened, OpenLeaf(*leaf.query, context));
      if (opened == nullptr) continue;
      here.leaves.push_back(std::move(opened));
      here.sums.push_back(leaf.sum);
    }
    if (here.leaves.empty()) {
      if (IsRequired(clause.occur)) return OpenQuery({});
      continue;
    }
    has_positive = has_positive || clause.occur != Occur::kMustNot;
    optional += clause.occur == Occur::kShould ? 1 : 0;
    open.push_back(std::move(here));
  }
  if (!has_positive || optional < minimum_should_match) open.clear();
  return OpenQuery(std::move(open), minimum_should_match);
}

}  // namespace pmdex
