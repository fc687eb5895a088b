// What the search for the best documents of one segment shares: the segment, the opened query and
// the documents found so far. One thread uses a RankingContext; all that it refers to outlives it.
#pragma once

#include <limits>

#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/result/top_k.h"

namespace pmdex {

struct RankingContext {
  SegmentContext& segment;
  const OpenQuery& query;
  TopK& top;
  // Score every match: no document is ruled out because its score is too low.
  bool scores_all = false;

  // The minimum competitive score of the documents from `doc` on: with less, none of them can enter
  // the top k.
  float MinCompetitiveScore(DocId doc) const {
    return scores_all ? -std::numeric_limits<float>::infinity()
                      : top.MinCompetitiveScore(segment.doc_base + doc);
  }
};

}  // namespace pmdex
