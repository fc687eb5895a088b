#include "query/algorithm/all_matches.h"

#include "query/cursor/open_cursor.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

absl::StatusOr<std::vector<DocId>> FindMatchesIn(const QueryBinding& binding, size_t index) {
  const Snapshot& snapshot = *binding.snapshot;
  const Segment& segment = *snapshot.segments()[index];
  CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus()};
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor,
                         OpenCursor(*binding.root, segment, index, context));
  std::vector<DocId> matches;
  for (DocId doc = cursor->doc(); doc != kEndOfDocs; doc = cursor->Next()) {
    if (IsLive(snapshot.live_docs(index), doc)) matches.push_back(doc);
  }
  PMDEX_RETURN_IF_ERROR(context.damage);
  return matches;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<DocId>>> FindMatches(const Query& query,
                                                            const Snapshot& snapshot) {
  PMDEX_ASSIGN_OR_RETURN(const QueryBinding binding,
                         BindQuery(query, snapshot, SimilarityKind::kBm25));
  std::vector<std::vector<DocId>> matches(snapshot.segments().size());
  for (size_t i = 0; i < matches.size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    PMDEX_ASSIGN_OR_RETURN(matches[i], segment.Checked(FindMatchesIn(binding, i)));
    PMDEX_RETURN_IF_ERROR(segment.Health());
  }
  return matches;
}

}  // namespace pmdex
