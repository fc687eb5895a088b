// Finds the documents of a phrase whose last word may be any of several terms, with their scores.
// It goes through the windows of a segment: the documents of the other words give the candidates,
// the lists of the last word's terms are read only where there are candidates, and only documents
// that have one of them have their positions read. The frequencies and scores are those of
// PhrasePrefixCursor (phrase_prefix_cursor.h), to the bit.
#pragma once

#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/planning/bound_query.h"

namespace pmdex {

struct PhrasePrefixDocs {
  std::vector<DocId> docs;    // ascending
  std::vector<float> scores;  // of each
};

// words: the lists of all words but the last, in their order. last: those of the last word's terms.
// At least one of each. query: of kind kPhrasePrefix. Damage is reported to the context. Incomplete
// if the context has damage or has timed out afterwards.
PhrasePrefixDocs FindPhrasePrefix(const BoundQuery& query,
                                  const std::vector<PostingListView>& words,
                                  const std::vector<PostingListView>& last,
                                  SegmentContext& context);

}  // namespace pmdex
