// The pruned search of one segment for a frequent term beside filters: required clauses all of
// whose documents score the same, such as ranges. Windows would compute an upper bound for each of
// them first. This search reads the postings with the best scores instead, in one pass, and asks
// the filters for their documents. From the points that the list keeps of its best postings
// (BestPoints) and from the size of the filters it estimates which score has enough of them.
//
// It is a try of bounded work: if fewer documents pass than expected, it gives up, and windows find
// the documents. One thread uses a FilteredTermSearch; what the context refers to must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/container/inlined_vector.h"

#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/postings/bit_walk.h"
#include "query/algorithm/scoring/ranking_context.h"

namespace pmdex {

class FilteredTermSearch {
 public:
  struct Plan {
    uint32_t term = 0;     // number of its scoring leaf
    uint64_t rank = 0;     // among so many best postings the filters probably leave k
    float term_score = 0;  // which these postings reach in the term
  };
  // nullopt if the query is not one term, kept as bits, beside at least one filter, or if the
  // search does not promise to find its k best documents. Asks the filters how many documents they
  // have.
  static std::optional<Plan> PlanFor(const RankingContext& context);
  FilteredTermSearch(const RankingContext& context, const Plan& plan);

  // Puts the competitive documents of the segment into the top k, and perhaps others. False if it
  // gave up or the context has timed out: then only some documents are there.
  bool Run();

  uint64_t scored() const { return scored_; }  // documents that passed the filters

 private:
  float TotalOf(float term_score);
  void MakeTable(float min_score);
  uint64_t FilterBlocks(uint32_t first, uint32_t count) const;
  DocId FirstDocOf(uint32_t block) const;
  void PassBlock(uint32_t block);
  void AddMatching(std::span<const uint32_t> postings, std::span<const DocId> docs);
  bool MayMatch(DocId first, DocId last);
  bool IsOver(uint64_t work) { return context_.segment.cursor.IsOver(work); }

  const RankingContext context_;
  const Plan plan_;
  TermPostings* const term_;
  absl::InlinedVector<Leaf*, 2> filters_;
  absl::InlinedVector<float, 4> scores_;  // of each scoring leaf; the term's changes
  absl::InlinedVector<float, 4> bounds_;  // the same, with the upper bound of the term
  float table_min_score_ = 0;             // that table_ was made for
  uint64_t looked_up_ = 0;
  uint64_t scored_ = 0;
  uint32_t next_window_ = 0;  // the next one in which the filters may have documents
  LeastFreqs table_;
  BitWalk walk_;
};

}  // namespace pmdex
