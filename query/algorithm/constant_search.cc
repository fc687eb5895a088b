#include "query/algorithm/constant_search.h"

#include <memory>
#include <vector>

#include "query/algorithm/leaf/leaf_factory.h"
#include "query/expansion/term_expansion.h"
#include "query/kernel/window_bits.h"

namespace pmdex {
namespace {

// Whether the first documents of the terms of a pattern are all that the search reads of them. The
// rest is wanted where matches are counted as well, and a set of bits is cheaper than sorting where
// a large part of the segment is wanted.
bool ReadsFirstDocs(const SearchContext& search, const SegmentContext& context, const TopK& top) {
  constexpr size_t kLeastFraction = 64;
  const BoundKind kind = search.binding.root->kind;
  return (kind == BoundKind::kPrefix || kind == BoundKind::kWildcard ||
          kind == BoundKind::kRegexp) &&
         search.plan.count == CountMethod::kNone && !search.plan.limits.after.has_value() &&
         top.room() <= context.segment.doc_count() / kLeastFraction;
}

absl::Status AddFirstDocs(const BoundQuery& query, SegmentContext& context, TopK& top,
                          PrunedDocs& result) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<DocId> docs,
                         ExpandToFirstDocs(query, context.segment, top.room(), context.cursor));
  PMDEX_RETURN_IF_ERROR(context.cursor.damage);
  result.timed_out = result.timed_out || context.cursor.timed_out;
  // Where the deadline came first, documents of terms that were not reached could come before
  // these.
  if (result.timed_out) return absl::OkStatus();
  for (const DocId doc : docs) top.Add({context.doc_base + doc, query.boost});
  result.scored += docs.size();
  return absl::OkStatus();
}

}  // namespace

absl::Status SearchConstant(const SearchContext& search, size_t segment, TopK& top,
                            PrunedDocs& result) {
  const BoundQuery& query = *search.binding.root;
  const RankLimits& limits = search.plan.limits;
  if (top.full() || query.boost < limits.min_score) return absl::OkStatus();
  if (limits.after.has_value() && query.boost > limits.after->score) return absl::OkStatus();
  SegmentContext context = SegmentContextOf(search, segment);
  if (ReadsFirstDocs(search, context, top)) return AddFirstDocs(query, context, top, result);
  PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Leaf> leaf, OpenLeaf(query, context));
  PMDEX_RETURN_IF_ERROR(context.cursor.damage);
  result.timed_out = result.timed_out || context.cursor.timed_out;
  if (leaf == nullptr) return absl::OkStatus();
  const uint32_t windows = WindowCount(context.segment.doc_count());
  for (uint32_t window = leaf->FirstWindowFrom(0); window < windows && !top.full();
       window = leaf->FirstWindowFrom(window + 1)) {
    result.timed_out = result.timed_out || IsPast(search.deadline);
    if (result.timed_out) return absl::OkStatus();
    WindowBits docs;
    leaf->Fill(window, docs);
    RetainLive(context.cursor.live_docs, window, docs);
    docs.ForEach([&](uint32_t doc) {
      top.Add({context.doc_base + uint64_t{window} * kWindowDocs + doc, query.boost});
      ++result.scored;
      return !top.full();
    });
  }
  return absl::OkStatus();
}

}  // namespace pmdex
