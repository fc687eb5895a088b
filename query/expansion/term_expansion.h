// Expands a prefix, a wildcard or a regular expression to the documents of one segment that contain
// a matching term, and ids to the documents that the binder found. Stateless, thread-safe; the
// context belongs to the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/cursor/doc_set.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/bound_query.h"

namespace pmdex {

// The documents of the terms that match, as a finished set; empty if the segment does not have the
// field. Requires a query of kind kPrefix, kWildcard, kRegexp or kIds. Costs a pass over the terms
// that begin like the pattern, or over their signatures, and over the docids of those that match.
// If the context's deadline comes first, sets the context's timed_out and returns an incomplete
// set. kDataLoss if the dictionary is damaged; damaged docids are reported to the context.
absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context);

// The first `most` of the documents that ExpandTerms gives and that are not deleted, ascending:
// what a search wants of which all matches score the same. Requires most > 0 and a query of kind
// kPrefix, kWildcard or kRegexp. Deadline and errors as in ExpandTerms, but damage behind what it
// reads of a list stays unseen.
absl::StatusOr<std::vector<DocId>> ExpandToFirstDocs(const BoundQuery& query,
                                                     const Segment& segment, size_t most,
                                                     CursorContext& context);

// About how many terms of the segment ExpandTerms reads, from the numbers of their blocks. Where it
// compares the signatures of terms (terms_with_characters.h), eight of them count as one. Requires
// a query of kind kPrefix or kWildcard. 0 if the dictionary is damaged.
uint64_t EstimateTerms(const BoundQuery& query, const Segment& segment);

// True if the segment may contain terms that match; false if it contains none or the watch is over.
// Requires a query of kind kPrefix, kWildcard or kRegexp, an expression compiled. Reads at most a
// few hundred terms of the dictionary; for an expression, up to the first match. kDataLoss if the
// dictionary is damaged.
absl::StatusOr<bool> MayHaveTerms(const Query& query, const Segment& segment, DeadlineWatch& watch);

}  // namespace pmdex
