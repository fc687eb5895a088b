#include "query/algorithm/counting.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "query/algorithm/leaf/at_least.h"
#include "query/algorithm/leaf/column_leaf.h"
#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/postings/common_docs.h"
#include "query/algorithm/postings/live_postings.h"
#include "query/planning/planner.h"

namespace pmdex {
namespace {

// The clauses of one segment, sorted by what they do to the count. Optional clauses count only
// where none is required or so many of them must match.
class Counter {
 public:
  Counter(const OpenQuery& query, const SegmentSearchPlan& plan, CursorContext& context,
          uint64_t limit)
      : minimum_(LeastShould(query.minimum_should_match(), !plan.required.empty())),
        limit_(limit),
        context_(context) {
    for (const uint32_t i : plan.required) required_.push_back(&query.clauses()[i]);
    for (const OpenClause& clause : query.clauses()) {
      if (clause.occur == Occur::kShould) optional_.push_back(&clause);
      if (clause.occur == Occur::kMustNot) prohibited_.push_back(&clause);
    }
    if (required_.empty() && prohibited_.empty() && optional_.size() > 1 && minimum_ == 1) {
      FindCountedTerm();
    }
  }

  MatchCount Count() {
    if (const std::optional<uint64_t> count = CountWholeLists()) return {*count, false};
    MatchCount result;
    result.timed_out = context_.timed_out;
    if (result.timed_out) return result;
    if (counted_ != nullptr) {
      result.count = CountLivePostings(counted_->term_postings()->list(), context_, limit_);
    }
    const uint32_t windows = WindowCount(context_.doc_count);
    for (uint32_t window = First(0); window < windows && result.count <= limit_;
         window = First(window + 1)) {
      result.timed_out = context_.timed_out || IsPast(context_.deadline);
      if (result.timed_out || !context_.damage.ok()) break;
      const uint32_t count = CountWindow(window);
      if (!context_.timed_out) result.count += count;
    }
    result.timed_out = result.timed_out || context_.timed_out;
    return result;
  }

 private:
  // The most frequent of optional terms, whose number of documents the dictionary knows. Only the
  // documents of the others that do not have it are left to count. That pays if these are few, or
  // those of one list, each of which is looked up in the bits of the most frequent term.
  void FindCountedTerm() {
    constexpr uint64_t kTimesTheOthers = 8;
    const OpenClause* most = nullptr;
    uint64_t documents = 0;  // of all clauses
    for (const OpenClause* clause : optional_) {
      documents += clause->Estimate();
      const bool is_term = clause->leaves.size() == 1 && clause->leaves[0]->term_postings();
      if (is_term && (most == nullptr || clause->Estimate() > most->Estimate())) most = clause;
    }
    if (most == nullptr) return;
    const uint64_t known = most->Estimate();
    const bool is_rare = (documents - known) * kTimesTheOthers <= known;
    if (!is_rare && !IsListBesideBits(*most)) return;
    counted_ = most->leaves[0].get();
    std::erase(optional_, most);
  }

  // True if `most` has bits and the only other optional clause is a term with a list.
  bool IsListBesideBits(const OpenClause& most) const {
    if (optional_.size() != 2 || most.leaves[0]->term_postings()->has_docids()) return false;
    const OpenClause& other = *optional_[optional_[0] == &most ? 1 : 0];
    TermPostings* const term = other.leaves[0]->term_postings();
    return other.leaves.size() == 1 && term != nullptr && term->has_docids();
  }

  // True if it decides the count how many optional clauses a document matches.
  bool CountsOptional() const { return minimum_ > (required_.empty() ? 1 : 0); }

  // Counts the documents of terms with lists of docids by reading the lists from front to back,
  // where that decides the count and costs less than windows. nullopt where it does not, and if the
  // context has timed out.
  std::optional<uint64_t> CountWholeLists() {
    if (!prohibited_.empty() || CountsOptional()) return std::nullopt;
    if (counted_ != nullptr) return optional_.size() == 1 ? CountBesideCounted() : std::nullopt;
    const std::vector<const OpenClause*>& clauses = required_.empty() ? optional_ : required_;
    if (clauses.size() == 1) return CountOneList(*clauses[0]);
    std::vector<TermPostings*> terms;
    std::vector<const PostingListView*> lists;
    std::vector<ColumnLeaf*> columns;
    for (const OpenClause* clause : clauses) {
      TermPostings* const term = clause->leaves[0]->term_postings();
      ColumnLeaf* const column = clause->leaves[0]->column_leaf();
      if (clause->leaves.size() != 1) return std::nullopt;
      if (column != nullptr && !required_.empty()) {
        columns.push_back(column);
        continue;
      }
      if (term == nullptr) return std::nullopt;
      if (required_.empty() && !term->has_docids()) return std::nullopt;
      terms.push_back(term);
      lists.push_back(&term->list());
    }
    return required_.empty() ? CountUnion(lists, context_) : CountCommon(terms, columns);
  }

  std::optional<uint64_t> CountOneList(const OpenClause& clause) {
    if (clause.leaves.size() != 1) return std::nullopt;
    const std::optional<uint64_t> known = clause.leaves[0]->KnownCount();
    if (known.has_value() && context_.live_docs == nullptr) return known;
    TermPostings* const term = clause.leaves[0]->term_postings();
    if (term == nullptr) return std::nullopt;
    const uint64_t count = CountLivePostings(term->list(), context_, limit_);
    return context_.timed_out ? std::nullopt : std::optional(count);
  }

  // The same for the counted term and one other, by looking up the documents of the other.
  std::optional<uint64_t> CountBesideCounted() {
    TermPostings* const other = optional_[0]->leaves[0]->term_postings();
    if (optional_[0]->leaves.size() != 1 || other == nullptr) return std::nullopt;
    TermPostings* const terms[] = {other, counted_->term_postings()};
    const std::optional<uint64_t> common = CountCommon(terms);
    if (!common.has_value()) return std::nullopt;
    const uint64_t counts = CountLivePostings(terms[0]->list(), context_) +
                            CountLivePostings(terms[1]->list(), context_);
    return context_.timed_out ? std::nullopt : std::optional(counts - std::min(counts, *common));
  }

  // How many documents the terms and the columns have in common. The rarest term comes first.
  // nullopt also where windows of documents cost less.
  std::optional<uint64_t> CountCommon(std::span<TermPostings* const> terms,
                                      std::span<ColumnLeaf* const> columns = {}) {
    if (terms.empty()) return std::nullopt;
    const PostingListView& lead = terms[0]->list();
    if (lead.docids == nullptr) return std::nullopt;
    for (const ColumnLeaf* column : columns) {
      if (!column->PaysToLookUp(lead.df)) return std::nullopt;
    }
    lead.Load(0, lead.df);
    if (!terms[0]->AreInOrder({lead.docids, lead.df})) return std::nullopt;
    std::vector<uint64_t> members(lead.df / 64 + 1, ~uint64_t{0});
    members.back() = (uint64_t{1} << (lead.df % 64)) - 1;
    for (TermPostings* const other : terms.subspan(1)) {
      if (!KeepFoundDocs(lead, other->windows(), context_, members)) return std::nullopt;
    }
    for (ColumnLeaf* const column : columns) {
      column->RetainListed({lead.docids, lead.df}, members);
      if (context_.timed_out) return std::nullopt;
    }
    if (!KeepLiveDocs(lead, context_, members)) return std::nullopt;
    uint64_t count = 0;
    for (const uint64_t word : members) count += static_cast<uint64_t>(std::popcount(word));
    return count;
  }

  // The first window from `window` on that may have a match.
  uint32_t First(uint32_t window) const {
    const auto first_of = [&](const OpenClause& clause) {
      uint32_t first = 0xffffffff;
      for (const auto& leaf : clause.leaves) first = std::min(first, leaf->FirstWindowFrom(window));
      return first;
    };
    if (!required_.empty()) return first_of(*required_[0]);
    uint32_t first = 0xffffffff;
    for (const OpenClause* clause : optional_) first = std::min(first, first_of(*clause));
    return first;
  }

  // Called before each clause's work on a window. The bits of the window are meaningless if true.
  bool IsOver(const OpenClause& clause) {
    constexpr uint64_t kLeafWork = 64;
    return context_.IsOver(kLeafWork * clause.leaves.size());
  }

  uint32_t CountWindow(uint32_t window) {
    WindowBits bits;
    if (!required_.empty()) {
      required_[0]->Fill(window, bits);
      for (size_t i = 1; i < required_.size() && !IsOver(*required_[i]); ++i) {
        required_[i]->Retain(window, bits);
      }
    } else if (minimum_ == 1) {
      for (const OpenClause* clause : optional_) {
        if (!IsOver(*clause)) clause->Fill(window, bits);
      }
    }
    if (CountsOptional()) RetainMinimum(window, bits);
    if (counted_ != nullptr) {
      WindowBits also = bits;
      counted_->Retain(window, also);
      bits.AndNot(also);
    }
    for (const OpenClause* clause : prohibited_) {
      if (IsOver(*clause)) break;
      WindowBits docs;
      clause->Fill(window, docs);
      bits.AndNot(docs);
    }
    RetainLive(context_.live_docs, window, bits);
    return bits.Count();
  }

  // Removes the documents that match too few optional clauses. Without required clauses it adds
  // those that match enough.
  void RetainMinimum(uint32_t window, WindowBits& bits) {
    AtLeast enough(minimum_);
    for (const OpenClause* clause : optional_) {
      if (IsOver(*clause)) return;
      WindowBits docs;
      clause->Fill(window, docs);
      enough.Add(docs);
    }
    if (required_.empty()) {
      bits.Or(enough.docs());
    } else {
      bits.And(enough.docs());
    }
  }

  std::vector<const OpenClause*> required_, optional_, prohibited_;
  const uint32_t minimum_;  // of the optional clauses
  const uint64_t limit_;
  Leaf* counted_ = nullptr;  // all of its documents count; not among optional_. May be null
  CursorContext& context_;
};

// Requires a query that matches every document, or is one term in a segment without deletions.
uint64_t KnownCount(const BoundQuery& query, const Snapshot& snapshot, size_t index) {
  if (query.kind == BoundKind::kAll) {
    const LiveDocs* const live_docs = snapshot.live_docs(index);
    return live_docs == nullptr ? snapshot.segments()[index]->doc_count() : live_docs->live_count();
  }
  const DictionaryEntry* entry = query.terms[0].entries[index];
  return entry == nullptr ? 0 : entry->df;
}

// The same for one term in a segment with deletions. nullopt for other queries, and if the number
// is not known yet.
std::optional<uint64_t> KnownTermCount(const BoundQuery& query, const Snapshot& snapshot,
                                       size_t index) {
  if (query.kind != BoundKind::kTerm) return std::nullopt;
  const DictionaryEntry* const entry = query.terms[0].entries[index];
  if (entry == nullptr) return 0;
  const LiveDocs* const live_docs = snapshot.live_docs(index);
  if (live_docs == nullptr || live_docs->deleted_count() == 0) return entry->df;
  return KnownLivePostings(*entry, *live_docs, snapshot.segments()[index]->segment_id());
}

absl::StatusOr<MatchCount> CountSegment(const SearchContext& search, size_t index, uint64_t limit) {
  if (search.plan.count == CountMethod::kFromStatistics) {
    return MatchCount{KnownCount(*search.binding.root, *search.binding.snapshot, index), false};
  }
  if (const auto known = KnownTermCount(*search.binding.root, *search.binding.snapshot, index)) {
    return MatchCount{*known, false};
  }
  SegmentContext segment = SegmentContextOf(search, index);
  PMDEX_ASSIGN_OR_RETURN(const OpenQuery query, OpenClauses(search.plan.clauses, segment,
                                                            search.plan.minimum_should_match));
  const SegmentSearchPlan plan = PlanSegmentSearch(search.plan, query.Describe());
  const MatchCount result = CountOpen(query, plan, segment, limit);
  PMDEX_RETURN_IF_ERROR(segment.cursor.damage);
  return result;
}

}  // namespace

MatchCount CountOpen(const OpenQuery& query, const SegmentSearchPlan& plan, SegmentContext& segment,
                     uint64_t limit) {
  CursorContext& cursor = segment.cursor;
  if (query.clauses().empty() || cursor.timed_out) return {0, cursor.timed_out};
  return Counter(query, plan, cursor, limit).Count();
}

absl::StatusOr<MatchCount> CountMatches(const SearchContext& context) {
  MatchCount result;
  if (context.plan.clauses.empty()) return result;
  const auto segments = context.binding.snapshot->segments();
  const uint64_t limit = context.plan.count_limit;
  for (size_t i = 0; i < segments.size() && !result.timed_out && result.count <= limit; ++i) {
    if (!HasLiveDocs(*context.binding.snapshot, i)) continue;
    if (!context.plan.segments.Has(i)) continue;
    PMDEX_ASSIGN_OR_RETURN(const MatchCount here,
                           segments[i]->Checked(CountSegment(context, i, limit - result.count)));
    PMDEX_RETURN_IF_ERROR(segments[i]->Health());
    result.count += here.count;
    result.timed_out = here.timed_out;
  }
  return result;
}

}  // namespace pmdex
