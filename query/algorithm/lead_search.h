// The pruned search (pruned_search.h) where a required term is in so few documents that its
// postings are looked at one after the other, whatever window they are in: those whose own score
// leaves enough for the bounds of the others are the candidates, and the other leaves are asked for
// them. What a window costs, and there is one for every few postings, is saved. Belongs to one
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "query/algorithm/leaf/term_leaf.h"
#include "query/algorithm/scoring/candidate_batch.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/result/top_k.h"

namespace pmdex {

class LeadSearch {
 public:
  // The clause that can lead, the rarest if there are several; nullopt: none.
  static std::optional<size_t> LeadOf(std::span<const OpenClause> clauses);

  // clauses[lead] can lead. context: of the search, nullptr: it has no deadline.
  LeadSearch(std::vector<OpenClause> clauses, size_t lead, uint64_t doc_base,
             const QueryKernels& kernels, TopK& top, CursorContext* context = nullptr);

  std::span<const OpenClause> clauses() const { return clauses_; }
  // How many documents match, where bits of the other required terms say it and nothing else has a
  // say; documents that do not match will be no candidates then. nullopt: not known. To be called
  // before Search.
  std::optional<uint64_t> KeepMatches();

  float bound() const { return bound_; }  // no document scores higher
  // Postings of documents of the windows [first, last): [begin, end).
  std::pair<uint32_t, uint32_t> Postings(uint32_t first_window, uint32_t last_window) const;
  // Puts every document of the postings [begin, end) that scores at least `asked`, and can enter,
  // into the top k, and perhaps others; no document twice. Ends early once time is over.
  void Search(uint32_t begin, uint32_t end, float asked);

  uint64_t scored() const { return scored_; }  // documents that matched and got a score

 private:
  struct Other {
    Leaf* leaf = nullptr;
    uint32_t row = 0;
    bool decides = false;  // the only leaf of a required clause
    float bound = 0;
  };

  bool IsOver(uint64_t work) { return context_ != nullptr && context_->IsOver(work); }
  float Needed(DocId doc) const { return top_.NeededFrom(doc_base_ + doc); }
  void SetTable(float needed);
  void SearchBlock(uint32_t block, uint32_t begin, uint32_t end);
  void OfferFound();
  void Offer();

  std::vector<OpenClause> clauses_;
  uint64_t doc_base_;
  const QueryKernels& kernels_;
  TopK& top_;
  CursorContext* context_;
  TermLeaf* lead_ = nullptr;
  uint32_t lead_row_ = 0;
  std::vector<Other> others_;             // in the order in which they are asked
  std::vector<const uint64_t*> members_;  // bits of other required terms
  float others_bound_ = 0;
  float bound_ = 0;
  CandidateBatch batch_;
  std::array<uint32_t, CandidateBatch::kMost> postings_{};  // of the lead, for the batch
  std::vector<uint32_t> found_;                             // postings of a block
  std::vector<uint64_t> seen_;                              // bit i: posting i has been a candidate
  float needed_ = 0;                                        // what table_ is for
  LeastFreqs table_;
  uint64_t scored_ = 0;
};

}  // namespace pmdex
