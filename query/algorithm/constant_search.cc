#include "query/algorithm/constant_search.h"

#include <memory>

#include "query/algorithm/leaf/leaf.h"
#include "query/cursor/cursor.h"
#include "query/deadline.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

bool ScoresConstantly(const BoundQuery& query) {
  switch (query.kind) {
    case BoundKind::kAll:
    case BoundKind::kField:
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
      return true;
    default:
      return false;
  }
}

absl::Status SearchConstant(const Plan& plan, size_t index, const BlockMaxOptions& options,
                            TopK& top, PrunedDocs& result) {
  if (top.full()) return absl::OkStatus();
  const Segment& segment = *plan.snapshot->segments()[index];
  CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus(),
                        options.deadline};
  LeafContext leaves{segment, index, *options.kernels, context, *plan.expansions};
  PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Leaf> leaf, OpenLeaf(*plan.root, leaves));
  PMDEX_RETURN_IF_ERROR(context.damage);
  result.timed_out = result.timed_out || context.timed_out;
  if (leaf == nullptr) return absl::OkStatus();
  const uint64_t doc_base = plan.snapshot->doc_base(index);
  const uint32_t windows = WindowCount(segment.doc_count());
  for (uint32_t window = leaf->FirstWindowFrom(0); window < windows && !top.full();
       window = leaf->FirstWindowFrom(window + 1)) {
    result.timed_out = result.timed_out || IsPast(options.deadline);
    if (result.timed_out) return absl::OkStatus();
    WindowBits docs;
    leaf->Fill(window, docs);
    docs.ForEach([&](uint32_t doc) {
      top.Add({doc_base + uint64_t{window} * kWindowDocs + doc, plan.root->boost});
      ++result.scored;
      return !top.full();
    });
  }
  return absl::OkStatus();
}

}  // namespace pmdex
