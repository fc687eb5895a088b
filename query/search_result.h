// What a search answers: hits in their order, and what was asked for beside them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/aggregations/aggregation_result.h"
#include "query/aggregations/aggregation_set.h"
#include "query/kernel/kernels.h"
#include "query/planning/plan_summary.h"
#include "query/result/doc_value.h"
#include "query/result/explain.h"
#include "query/result/snippet.h"

namespace pmdex {

struct Hit {
  std::string_view id;  // points into SearchResult::id_bytes
  float score = 0;
  uint64_t doc = 0;  // number in index order (the segment's doc_base + DocId)
};

// A segment that did not answer.
struct MissingPart {
  std::string file;
  uint64_t documents = 0;
  std::string reason;
};

struct SearchResult {
  std::vector<Hit> hits;  // by falling score, the earlier document first among equals
  // The ids of the hits, one after the other. They are copies, so that they stay valid when the
  // index is unmapped or its medium fails. They live as long as any copy of the result.
  std::shared_ptr<const std::string> id_bytes;
  std::optional<PlanSummary> plan;  // with options.explain or options.plan
  // With options.explain and options.snippets: one for each hit, or for the first hits if the
  // search timed out. A snippet has its matches between kSnippetMatchBegin and kSnippetMatchEnd.
  std::vector<Explanation> explanations;
  std::vector<std::string> snippets;
  // With options.sort: for each hit the values of the keys, indexed like these.
  std::vector<std::vector<DocValue>> sort_values;
  // With options.fields_out: for each hit the values of each field, indexed like field_names.
  std::vector<std::string> field_names;
  std::vector<std::vector<std::vector<DocValue>>> field_values;
  std::vector<AggregationResult> aggregations;      // indexed like options.aggregations
  std::shared_ptr<AggregationSet> aggregation_set;  // with options.keep_aggregation_set
  uint64_t total = 0;  // how many documents match; at least so many if not total_exact
  // True with options.count or options.exhaustive, unless the search timed out. With
  // options.count_limit true if the total is at most the limit, unless the search timed out;
  // otherwise the total is greater than the limit.
  bool total_exact = true;
  bool timed_out = false;               // the deadline came first: better hits may be missing
  SimdLevel simd = SimdLevel::kScalar;  // of the kernels that answered
  double took_us = 0;                   // from the query to the finished hits with their ids
  std::vector<MissingPart> missing;     // in index order; empty if the whole index answered
};

}  // namespace pmdex
