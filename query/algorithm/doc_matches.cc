#include "query/algorithm/doc_matches.h"

#include <algorithm>
#include <numeric>

#include "query/cursor/open_cursor.h"
#include "query/cursor/snapshot_context.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

// Documents of the index by ascending number, as indexes into the caller's list.
std::vector<size_t> Ascending(std::span<const uint64_t> docs) {
  std::vector<size_t> order(docs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [docs](size_t a, size_t b) { return docs[a] < docs[b]; });
  return order;
}

// Sets the matches of one segment. order: the part of it that lies in the segment.
absl::Status MatchInSegment(const QueryBinding& binding, size_t index,
                            std::span<const uint64_t> docs, std::span<const size_t> order,
                            const Deadline& deadline, std::vector<bool>& matches) {
  const Segment& segment = *binding.snapshot->segments()[index];
  CursorContext context = CursorContextOf(*binding.snapshot, index);
  context.deadline = deadline;
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor,
                         OpenCursor(*binding.root, segment, index, context));
  for (const size_t i : order) {
    const auto doc = static_cast<DocId>(docs[i] - binding.snapshot->doc_base(index));
    matches[i] = context.IsLive(doc) && cursor->Seek(doc) == doc;
    if (context.IsOver(1)) return DeadlineError();
  }
  return context.damage;
}

}  // namespace

absl::StatusOr<std::vector<bool>> MatchDocs(const Query& query, const Snapshot& snapshot,
                                            std::span<const uint64_t> docs,
                                            const Deadline& deadline) {
  PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                         BindQuery(query, snapshot, SimilarityKind::kBm25, deadline));
  std::vector<bool> matches(docs.size());
  const std::vector<size_t> order = Ascending(docs);
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    const auto from = [&](uint64_t doc) {
      return static_cast<size_t>(
          std::lower_bound(order.begin(), order.end(), doc,
                           [&](size_t place, uint64_t end) { return docs[place] < end; }) -
          order.begin());
    };
    const size_t first = from(snapshot.doc_base(i));
    const size_t last = from(snapshot.doc_base(i) + segment.doc_count());
    if (first == last) continue;
    PMDEX_RETURN_IF_ERROR(segment.Checked(MatchInSegment(
        binding, i, docs, std::span(order).subspan(first, last - first), deadline, matches)));
    PMDEX_RETURN_IF_ERROR(segment.Health());
  }
  return matches;
}

}  // namespace pmdex
