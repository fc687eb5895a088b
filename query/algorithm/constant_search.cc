#include "query/algorithm/constant_search.h"

#include <memory>

#include "query/algorithm/leaf/leaf_factory.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

absl::Status SearchConstant(const SearchContext& search, size_t segment, TopK& top,
                            PrunedDocs& result) {
  const BoundQuery& query = *search.binding.root;
  const RankLimits& limits = search.plan.limits;
  if (top.full() || query.boost < limits.min_score) return absl::OkStatus();
  if (limits.after.has_value() && query.boost > limits.after->score) return absl::OkStatus();
  SegmentContext context = SegmentContextOf(search, segment);
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
