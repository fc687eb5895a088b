// MaxScore over whole posting lists, for the optional terms that few documents have. If the terms
// without lists of docids add up to less than the minimum competitive score, every competitive
// document is in one of the lists. A LeadSearch follows each of them.
//
// The shortest lists come first. Their documents are looked up in the other lists. Often the
// minimum competitive score then shows that the longer lists need not be read. If they need to be,
// they are read once from front to back to find the documents that several of them have: these
// score more, and are few, because rare terms seldom meet. The other documents of a list need to be
// competitive without the terms of other lists.
//
// One thread uses a ListSearch; what the context refers to must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/lead_search.h"
#include "query/algorithm/scoring/ranking_context.h"

namespace pmdex {

class ListSearch {
 public:
  using Leads = std::vector<LeadSearch>;

  // Requires a query without required clauses in which at least one optional clause is a term with
  // a list of docids.
  explicit ListSearch(const RankingContext& context);

  // Each lead finds documents that no other one finds, of either kind, and together they find those
  // of all lists. They are to be searched in order. The leads of long lists are made by the first
  // call; there are none, and the result is meaningless, if the context has timed out then.
  std::span<LeadSearch> short_leads() { return short_leads_; }
  std::span<LeadSearch> LongLeads();
  // Upper bounds of the scores of documents that are in no short list, and in no list at all; 0 if
  // these do not match.
  float bound_beside_short() const { return bound_beside_short_; }
  float bound_beside_lists() const { return bound_beside_lists_; }
  uint64_t scored() const;  // documents that matched and got a score

 private:
  TermPostings& Postings(uint32_t leaf) const;
  std::vector<uint64_t> PostingsInLists(uint32_t leaf, std::span<const uint32_t> lists) const;
  void AddLead(uint32_t leaf, std::span<const uint32_t> absent, std::span<const uint64_t> excluded,
               Leads& leads) const;

  const RankingContext context_;
  // The numbers of the scoring leaves with lists, the shortest first.
  std::vector<uint32_t> short_lists_, long_lists_;
  float bound_beside_short_ = 0;
  float bound_beside_lists_ = 0;
  Leads short_leads_, long_leads_;
};

}  // namespace pmdex
