// The pruned search of one segment where every competitive document has one term, the lead, and few
// documents have it. It follows the postings of the lead instead of windows: with one window for
// every few postings, windows would cost more than the postings. A posting becomes a candidate if
// its own score and the upper bounds of the other leaves together are competitive. The bits of
// other terms then show, before anything else is read, whether the document has all required terms
// and no prohibited one, and one of the optional terms that it needs to be competitive. Required
// clauses all of whose documents score the same, such as ranges, are asked next, for many
// candidates together. Then the other leaves score the candidate.
//
// One thread uses a LeadSearch; what the context refers to must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"

#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/scoring/candidate_batch.h"
#include "query/algorithm/scoring/ranking_context.h"

namespace pmdex {

class LeadSearch {
 public:
  // lead: the number of the scoring leaf to follow, a clause of one term with a list of docids. If
  // it is not required, Search finds no document without it. absent: the numbers of scoring leaves
  // that no document has which is left to find.
  LeadSearch(const RankingContext& context, uint32_t lead, std::span<const uint32_t> absent = {});

  // Search does not find the documents of the postings whose bit is set. postings: a bit for each
  // posting of the lead, in ceil(df / 64) words or more. Call it before Search.
  void Exclude(std::span<const uint64_t> postings);
  // How many documents match, if all that decides it is which of the lead's documents the lists of
  // other required terms have; nullopt if not. Afterwards documents that do not match are no
  // candidates any more. Call it before Search.
  std::optional<uint64_t> CountCommonDocs();

  // Looks all documents of a short lead up in the required clauses whose documents all score the
  // same. Few are left then, and the search need not begin with a high minimum score. Call it
  // before Search.
  void FilterShortLead();

  float bound() const { return bound_; }  // upper bound of all scores in the segment
  // The lead's postings [begin, end) for the documents of the windows [first, last).
  std::pair<uint32_t, uint32_t> Postings(uint32_t first_window, uint32_t last_window) const;
  // Puts every competitive document of the postings [begin, end) that scores at least `min_score`
  // into the top k, and perhaps others. Never puts a document there twice. Ends early once the
  // context has timed out.
  void Search(uint32_t begin, uint32_t end, float min_score);

  // No more documents than this are left to find.
  uint64_t candidates() const { return candidates_; }
  uint64_t scored() const { return scored_; }  // documents that matched and got a score

 private:
  // A scoring leaf that is not the lead.
  struct Other {
    Leaf* leaf = nullptr;
    uint32_t number = 0;  // among the scoring leaves
    bool is_required = false;
    float bound = 0;
  };

  // A required leaf all of whose documents score the same.
  struct Filter {
    Leaf* leaf = nullptr;
    uint32_t number = 0;  // among the scoring leaves
    float score = 0;
  };

  bool IsOver(uint64_t work) { return context_.segment.cursor.IsOver(work); }
  // The documents of a leaf, a bit for each, if they are known without reading its postings.
  struct DocBits {
    const uint64_t* words = nullptr;
    bool is_prohibited = false;

    bool Passes(DocId doc) const {
      return ((words[doc / 64] >> (doc % 64) & 1) != 0) != is_prohibited;
    }
  };
  using BlockMask = std::array<uint64_t, kBlockPostings / 64>;

  void AddOthers(std::span<const uint32_t> absent);
  void AddProhibited();
  enum class Deleted { kStay, kGo };
  bool ExcludeBy(std::span<PostingWindows* const> lists, Deleted deleted);
  void ExcludeAfterManyLookUps();
  void MakeTable(float min_score);
  void RenewTable(DocId doc);
  void SearchBlock(uint32_t block, uint32_t begin, uint32_t end);
  uint64_t KeepWithPartner(uint32_t first, uint64_t candidates, uint64_t passing) const;
  uint64_t MatchingFilters(std::span<const DocId> docs);
  size_t KeepMatching(std::span<DocId> docs);
  void QueueFound();
  void ScoreQueued();

  const RankingContext context_;
  TermPostings* lead_ = nullptr;
  uint32_t lead_leaf_;                    // number of the lead among the scoring leaves
  absl::InlinedVector<Other, 2> others_;  // in the order in which they score
  absl::InlinedVector<Filter, 2> filters_;
  uint64_t filtered_ = 0;      // candidates that filters_ were asked for since the last batch
  bool filters_done_ = false;  // seen_ excludes the documents that they do not have
  // Of other required and of prohibited terms, and the live documents if any are deleted.
  absl::InlinedVector<DocBits, 2> members_;
  absl::InlinedVector<DocBits, 2> partners_;    // of optional terms
  absl::InlinedVector<float, 4> alone_bounds_;  // bounds_, but 0 for the partners
  absl::InlinedVector<float, 4> bounds_;  // of each scoring leaf in the segment; 0 if it is absent
  float bound_ = 0;
  CandidateBatch batch_;
  std::array<uint32_t, CandidateBatch::kMost> postings_{};  // the lead's, of the batch's documents
  absl::InlinedVector<uint32_t, kBlockPostings> found_;     // candidates of one block, as postings
  // Bit i: posting i was a candidate, or its document does not match.
  absl::InlinedVector<uint64_t, 4> seen_;
  // Lists of docids of other required terms; none once they were read whole.
  absl::InlinedVector<PostingWindows*, 2> docid_lists_;
  uint64_t candidates_ = 0;  // postings of the lead, until CountCommonDocs has found which match
  uint64_t looked_up_ = 0;   // documents
  LeastFreqs table_;
  float table_min_score_ = 0;  // that table_ was made for
  bool all_pass_ = false;      // every posting is competitive, so that table_ was not made
  // A posting that does not pass this table is competitive only if a partner has its document.
  LeastFreqs alone_table_;
  bool needs_partner_ = false;  // alone_table_ was made
  float last_min_score_ = 0;    // the minimum competitive score after the last full batch
  uint64_t scored_ = 0;
};

}  // namespace pmdex
