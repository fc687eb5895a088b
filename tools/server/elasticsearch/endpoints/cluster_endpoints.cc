#include "tools/server/elasticsearch/endpoints/cluster_endpoints.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/endpoints/index_facts.h"
#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

absl::Status CheckHealthParameters(const ApiCall& call) {
  const std::string_view status = call.parameters.Text("wait_for_status").value_or("green");
  if (!HasWord("green yellow red", status)) {
    return BadArgument(absl::StrCat("unknown cluster health status [", std::string(status), "]"));
  }
  const std::string_view level = call.parameters.Text("level").value_or("cluster");
  if (!HasWord("cluster indices shards", level)) {
    return BadArgument(absl::StrCat("level must be one of [cluster, indices, shards] but was [",
                                    std::string(level), "]"));
  }
  return call.parameters.Time("timeout").status();
}

// with_shards: of the one shard, too.
Json IndexHealth(std::string_view status, bool with_shards) {
  Json health = {{"status", status},           {"number_of_shards", 1}, {"number_of_replicas", 0},
                 {"active_primary_shards", 1}, {"active_shards", 1},    {"relocating_shards", 0},
                 {"initializing_shards", 0},   {"unassigned_shards", 0}};
  if (with_shards) {
    health["shards"]["0"] = {{"status", status},         {"primary_active", true},
                             {"active_shards", 1},       {"relocating_shards", 0},
                             {"initializing_shards", 0}, {"unassigned_shards", 0}};
  }
  return health;
}

}  // namespace

ApiAnswerOr AnswerRoot(const ApiCall&) {
  const Json version = {{"number", kElasticsearchVersion},
                        {"build_flavor", "default"},
                        {"build_type", "pmdex"},
                        {"build_hash", "unknown"},
                        {"build_date", "1970-01-01T00:00:00.000Z"},
                        {"build_snapshot", false},
                        {"lucene_version", "10.3.1"},
                        {"minimum_wire_compatibility_version", "8.19.0"},
                        {"minimum_index_compatibility_version", "8.0.0"}};
  return ApiAnswer{200,
                   {{"name", "pmdex"},
                    {"cluster_name", "pmdex"},
                    {"cluster_uuid", "pmdex"},
                    {"version", version},
                    {"tagline", "You Know, for Search"}},
                   {}};
}

// Nobody waits: an index that is not there never comes, and a damaged segment does not heal. The
// answer says so at once, as that of a node whose time has passed.
ApiAnswerOr AnswerClusterHealth(const ApiCall& call) {
  PMDEX_RETURN_IF_ERROR(CheckHealthParameters(call));
  const absl::StatusOr<SelectedIndexes> selected = SelectedBy(call);
  const bool is_there = selected.ok();
  if (!is_there && HttpStatusOf(selected.status()) != 404) return selected.status();
  const size_t shards = is_there ? selected->size() : 0;
  const std::string_view status = is_there ? HealthOf(*selected) : "red";
  const bool waits_for_better =
      status == "red" && call.parameters.Text("wait_for_status").value_or("red") != "red";
  const bool timed_out = !is_there || waits_for_better;
  Json health = {{"cluster_name", "pmdex"},   {"status", status},
                 {"timed_out", timed_out},    {"number_of_nodes", 1},
                 {"number_of_data_nodes", 1}, {"active_primary_shards", shards},
                 {"active_shards", shards}};
  for (const char* none : {"relocating_shards", "initializing_shards", "unassigned_shards",
                           "delayed_unassigned_shards", "number_of_pending_tasks",
                           "number_of_in_flight_fetch", "task_max_waiting_in_queue_millis"}) {
    health[none] = 0;
  }
  health["active_shards_percent_as_number"] = 100.0;
  const std::string_view level = call.parameters.Text("level").value_or("cluster");
  if (level != "cluster") {
    Json& indices = health["indices"] = Json::object();
    for (size_t i = 0; i < shards; ++i) {
      indices[(*selected)[i]->name] = IndexHealth(HealthOf(*(*selected)[i]), level == "shards");
    }
  }
  return ApiAnswer{timed_out ? 408 : 200, std::move(health), {}};
}

ApiAnswerOr AnswerResolveIndex(const ApiCall& call) {
  SelectionOptions options;
  options.ignore_unavailable = true;
  PMDEX_ASSIGN_OR_RETURN(options.expand,
                         ExpandsOpenIndexes(call.parameters.List("expand_wildcards")));
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes selected,
                         SelectIndexes(call.index, call.indexes, options));
  Json indices = Json::array();
  for (const auto& index : selected) {
    indices.push_back({{"name", index->name}, {"attributes", Json::array({"open"})}});
  }
  return ApiAnswer{200,
                   {{"indices", std::move(indices)},
                    {"aliases", Json::array()},
                    {"data_streams", Json::array()}},
                   {}};
}

}  // namespace pmdex
