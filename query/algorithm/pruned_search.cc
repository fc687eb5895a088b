#include "query/algorithm/pruned_search.h"

#include <algorithm>

#include "query/algorithm/constant_search.h"
#include "query/algorithm/parallel_search.h"
#include "query/algorithm/scoring/sure_score.h"
#include "query/algorithm/segment_order.h"
#include "query/algorithm/segment_search.h"
#include "query/algorithm/term_search.h"

namespace pmdex {
namespace {

absl::Status SearchSums(const SearchContext& context, size_t segment, TopK& top,
                        PrunedDocs& result) {
  constexpr uint32_t kAllWindows = 0xffffffff;
  SegmentSearch search(context, segment, nullptr, top);
  PMDEX_RETURN_IF_ERROR(search.Open());
  const bool counts = context.plan.count == CountMethod::kWithRanking;
  search.FindCommonDocs(counts);
  search.Run(0, kAllWindows);
  result.segments[segment] = search.algorithm();
  result.scored += search.scored();
  result.timed_out = result.timed_out || search.timed_out();
  if (counts && !result.timed_out && search.damage().ok()) {
    const uint64_t before = result.matches.value_or(0);
    const uint64_t limit = context.plan.count_limit;
    const MatchCount count = search.Count(limit - std::min(limit, before));
    result.matches = before + count.count;
    result.timed_out = count.timed_out;
  }
  return search.damage();
}

absl::Status SearchSegment(const SearchContext& context, size_t segment, TopK& top,
                           PrunedDocs& result) {
  result.segments[segment] = context.plan.algorithm;
  switch (context.plan.algorithm) {
    case Algorithm::kSingleTerm:
      return SearchTerm(context, segment, top, result);
    case Algorithm::kConstantScore:
      return SearchConstant(context, segment, top, result);
    default:
      return SearchSums(context, segment, top, result);
  }
}

// True if no document of the segment can enter the top k, and it has no matches to count.
bool CanBeLeftOut(const SearchContext& context, const OrderedSegment& ordered, const TopK& top) {
  if (!HasLiveDocs(*context.binding.snapshot, ordered.segment)) return true;
  const CountMethod count = context.plan.count;
  if (count == CountMethod::kWithRanking || count == CountMethod::kByScoring) return false;
  const uint64_t doc_base = context.binding.snapshot->doc_base(ordered.segment);
  return ordered.bound < top.MinCompetitiveScore(doc_base);
}

// Finds the k best of the documents that score at least `least`. May find others, too, if they are
// fewer than k.
absl::StatusOr<PrunedDocs> SearchFrom(const SearchContext& context, float least) {
  PrunedDocs result;
  TopK top(context.plan.k, context.plan.limits);
  const auto segments = context.binding.snapshot->segments();
  top.RaiseMinCompetitiveScore(least);
  result.segments.resize(segments.size());
  for (const OrderedSegment& ordered : OrderSegments(context)) {
    if (result.timed_out) break;
    const size_t i = ordered.segment;
    if (CanBeLeftOut(context, ordered, top)) continue;
    PMDEX_RETURN_IF_ERROR(segments[i]->Checked(SearchSegment(context, i, top, result)));
    PMDEX_RETURN_IF_ERROR(segments[i]->Health());
  }
  const bool counts = context.plan.count == CountMethod::kWithRanking;
  if (counts && !result.timed_out) result.matches = result.matches.value_or(0);
  result.docs = top.TakeInTime(context.deadline, result.timed_out);
  return result;
}

// True if the k best of all documents were found.
bool HasBest(const PrunedDocs& found, size_t k, float least) {
  return found.docs.size() >= k &&
         std::all_of(found.docs.begin(), found.docs.end(),
                     [least](const ScoredDoc& doc) { return doc.score >= least; });
}

}  // namespace

absl::StatusOr<PrunedDocs> SearchPruned(const SearchContext& context) {
  if (context.plan.algorithm == Algorithm::kNone) return PrunedDocs();
  if (context.plan.threads > 1) return SearchInParallel(context);
  PMDEX_ASSIGN_OR_RETURN(const float sure, FindSureScore(context));
  if (context.binding.snapshot->live_doc_count() != context.binding.snapshot->doc_count()) {
    PMDEX_ASSIGN_OR_RETURN(const float likely, FindLikelyScore(context));
    if (likely > sure) {
      PMDEX_ASSIGN_OR_RETURN(PrunedDocs found, SearchFrom(context, likely));
      if (found.timed_out || HasBest(found, context.plan.k, likely)) return found;
    }
  }
  return SearchFrom(context, sure);
}

}  // namespace pmdex
