#include "tools/server/elasticsearch/search/search_report.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {

Json ShardsJson(size_t total, std::span<const IndexQuery> queries,
                std::span<const SearchResult> results, std::span<const absl::Status> failures) {
  Json listed = Json::array();
  size_t failed = 0;
  for (const absl::Status& error : failures) {
    const Json shards = FailedShards(error);
    listed.insert(listed.end(), shards.begin(), shards.end());
    ++failed;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].missing.empty()) ++failed;
    for (const MissingPart& part : results[i].missing) {
      const Json reason = {{"type", "corrupt_index_exception"},
                           {"reason", absl::StrCat(part.documents, " documents of ", part.file,
                                                   " were not searched: ", part.reason)}};
      listed.push_back(
          {{"shard", 0}, {"index", queries[i].index->name}, {"node", "pmdex"}, {"reason", reason}});
    }
  }
  Json shards = {
      {"total", total}, {"successful", total - failed}, {"skipped", 0}, {"failed", failed}};
  if (failed > 0) shards["failures"] = std::move(listed);
  return shards;
}

Json ProfileJson(std::span<const IndexQuery> queries, std::span<const SearchResult> results) {
  Json shards = Json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].plan.has_value()) continue;
    const SearchResult& result = results[i];
    const auto nanoseconds = static_cast<uint64_t>(result.took_us * 1000);
    Json clauses = Json::array();
    for (const PlanSummary::Clause& clause : result.plan->clauses) {
      Json described = {{"type", clause.occur}, {"description", clause.query}};
      if (clause.estimate.has_value()) described["estimated_documents"] = *clause.estimate;
      clauses.push_back(std::move(described));
    }
    const Json query = {{"type", result.plan->algorithm},
                        {"description", ToString(*queries[i].searched)},
                        {"time_in_nanos", nanoseconds},
                        {"breakdown", {{"count", result.plan->count}}},
                        {"children", std::move(clauses)}};
    const Json collector = {
        {"name", "TopK"}, {"reason", "search_top_hits"}, {"time_in_nanos", nanoseconds}};
    const Json search = {{"query", Json::array({query})},
                         {"rewrite_time", 0},
                         {"collector", Json::array({collector})}};
    shards.push_back({{"id", "[pmdex][" + queries[i].index->name + "][0]"},
                      {"searches", Json::array({search})},
                      {"aggregations", Json::array()}});
  }
  return {{"shards", std::move(shards)}};
}

}  // namespace pmdex
