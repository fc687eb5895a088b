// Makes the JSON of the hits of one index: source, explanation, highlight, names of matching
// queries, sort values. For one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"
#include "query/searcher.h"
#include "tools/server/elasticsearch/answer_budget.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/search/index_query.h"

namespace pmdex {

class HitWriter {
 public:
  // All must outlive the writer.
  HitWriter(const IndexQuery& query, const SearchBody& body, AnalyzerPools& analyzers,
            AnswerBudget& budget)
      : query_(query), body_(body), analyzers_(analyzers), budget_(budget) {}

  // The hits as JSON, in the same order; only the first of them if the deadline comes before all
  // are written. sort_values: if the sort is by_fields(), one for each hit. kDataLoss if a document
  // is damaged, kOutOfRange if the documents are too large for the budget.
  absl::StatusOr<std::vector<Json>> Write(std::span<const Hit> hits,
                                          std::span<const std::vector<DocValue>> sort_values,
                                          const Deadline& deadline);

 private:
  absl::StatusOr<Json> WriteHit(const Hit& hit, const std::optional<Explanation>& explanation,
                                LastStoredChunk& last) const;
  absl::Status AddVersion(const Hit& hit, Json& out) const;
  absl::Status WriteUntil(const Deadline& deadline, std::span<const Hit> hits,
                          std::span<const std::vector<DocValue>> sort_values,
                          std::vector<Json>& written) const;
  absl::StatusOr<std::vector<Json>> MatchedQueries(std::span<const Hit> hits,
                                                   const Deadline& deadline) const;

  const IndexQuery& query_;
  const SearchBody& body_;
  AnalyzerPools& analyzers_;
  AnswerBudget& budget_;
};

Json ExplanationJson(const Explanation& explanation);

}  // namespace pmdex
