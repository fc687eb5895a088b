#include "query/planning/read_segments.h"

#include "query/planning/bound_query.h"

namespace pmdex {
namespace {

void AddReadSegments(const BoundQuery& query, size_t segments, SegmentSet& read) {
  if (query.kind == BoundKind::kNone) return;
  if (query.clauses.empty() && query.terms.empty() && query.expansions.empty()) {
    return read.Or(SegmentSet::All(segments));
  }
  for (const BoundTerm& term : query.terms) read.Or(term.entries.segments());
  for (const BoundTerm& term : query.expansions) read.Or(term.entries.segments());
  for (const BoundClause& clause : query.clauses) AddReadSegments(*clause.query, segments, read);
}

}  // namespace

SegmentSet ReadSegments(const QueryBinding& binding) {
  SegmentSet read;
  AddReadSegments(*binding.root, binding.snapshot->segments().size(), read);
  return read;
}

}  // namespace pmdex
