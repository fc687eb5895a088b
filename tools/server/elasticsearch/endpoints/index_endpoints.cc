#include "tools/server/elasticsearch/endpoints/index_endpoints.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/endpoints/index_facts.h"
#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

// {"NAME": describe(index), ...} of the selected indexes.
template <typename Describe>
ApiAnswerOr DescribeEach(const ApiCall& call, const Describe& describe) {
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  Json answer = Json::object();
  for (const auto& index : indexes) answer[index->name] = describe(*index);
  return ApiAnswer{200, std::move(answer), {}};
}

Json FieldMappingsOf(const ServedIndex& index, const std::vector<std::string>& patterns) {
  Json mappings = Json::object();
  for (const std::string& name : FieldNamesOf(index)) {
    if (!MatchesAnyNamePattern(patterns, name)) continue;
    const std::string last = name.substr(name.rfind('.') + 1);
    mappings[name] = {{"full_name", name}, {"mapping", {{last, FieldTypeOf(index, name)}}}};
  }
  return {{"mappings", std::move(mappings)}};
}

absl::StatusOr<std::vector<std::string>> FieldPatterns(const ApiCall& call) {
  std::vector<std::string> patterns = call.parameters.List("fields");
  if (patterns.empty() && call.body.is_object() && call.body.contains("fields")) {
    PMDEX_ASSIGN_OR_RETURN(patterns, JsonTexts("fields", call.body["fields"]));
  }
  if (patterns.empty()) return BadArgument("specified fields can't be null or empty");
  return patterns;
}

// Adds the capabilities of a field, and of the objects that it is in. names: those of all fields,
// sorted.
void AddCapabilities(std::string_view name, const Json& type, const std::vector<std::string>& names,
                     const std::vector<std::string>& patterns, Json& fields) {
  if (MatchesAnyNamePattern(patterns, name)) {
    const std::string type_name = type["type"];
    const Json index = type.value("index", Json(true));
    const bool is_searchable = index != false && index != "false";
    fields[std::string(name)][type_name] = {{"type", type_name},
                                            {"metadata_field", false},
                                            {"searchable", is_searchable},
                                            {"aggregatable", type_name != "text"}};
  }
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const std::string object(name.substr(0, dot));
    if (std::binary_search(names.begin(), names.end(), object))
      continue;  // `name` is in its fields
    const bool is_asked =
        MatchesAnyNamePattern(patterns, object) || MatchesAnyNamePattern(patterns, name) ||
        std::any_of(patterns.begin(), patterns.end(),
                    [&](const auto& pattern) { return pattern.starts_with(object + "."); });
    if (!is_asked || fields.contains(object)) continue;
    fields[object]["object"] = {{"type", "object"},
                                {"metadata_field", false},
                                {"searchable", false},
                                {"aggregatable", false}};
  }
}

// The sum has segments if each index tells them.
void Add(const IndexFacts& facts, IndexFacts& sum) {
  sum.documents += facts.documents;
  sum.deleted += facts.deleted;
  if (!facts.segments.has_value()) sum.segments.reset();
  if (!sum.segments.has_value()) return;
  sum.segments->count += facts.segments->count;
  sum.segments->size_bytes += facts.segments->size_bytes;
}

Json PartStatsOf(const IndexFacts& facts, bool human) {
  Json part = {{"docs", {{"count", facts.documents}, {"deleted", facts.deleted}}}};
  if (facts.segments.has_value()) {
    Json& store = part["store"] = Json::object();
    if (human) store["size"] = HumanSize(facts.segments->size_bytes);
    store["size_in_bytes"] = facts.segments->size_bytes;
    part["segments"] = {{"count", facts.segments->count}};
  }
  return part;
}

Json StatsOf(const IndexFacts& facts, bool human) {
  const Json part = PartStatsOf(facts, human);
  return {{"primaries", part}, {"total", part}};
}

// The one shard of an index.
Json ShardStatsOf(const IndexFacts& facts, bool human) {
  Json shard = {
      {"routing",
       {{"state", "STARTED"}, {"primary", true}, {"node", "pmdex"}, {"relocating_node", nullptr}}}};
  shard.update(PartStatsOf(facts, human));
  return {{"0", Json::array({std::move(shard)})}};
}

}  // namespace

ApiAnswerOr AnswerIndex(const ApiCall& call) {
  return DescribeEach(call, [](const ServedIndex& index) {
    return Json{{"aliases", Json::object()},
                {"mappings", MappingOf(index)},
                {"settings", SettingsOf(index)}};
  });
}

ApiAnswerOr AnswerMapping(const ApiCall& call) {
  return DescribeEach(call, [](const ServedIndex& index) {
    return Json{{"mappings", MappingOf(index)}};
  });
}

ApiAnswerOr AnswerFieldMapping(const ApiCall& call) {
  const std::vector<std::string> patterns = SplitAtCommas(call.fields);
  return DescribeEach(call,
                      [&](const ServedIndex& index) { return FieldMappingsOf(index, patterns); });
}

ApiAnswerOr AnswerSettings(const ApiCall& call) {
  return DescribeEach(call, [](const ServedIndex& index) {
    return Json{{"settings", SettingsOf(index)}};
  });
}

ApiAnswerOr AnswerFieldCapabilities(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> patterns, FieldPatterns(call));
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  Json index_names = Json::array();
  Json fields = Json::object();
  for (const auto& index : indexes) {
    index_names.push_back(index->name);
    const std::vector<std::string> names = FieldNamesOf(*index);
    for (const std::string& name : names) {
      AddCapabilities(name, FieldTypeOf(*index, name), names, patterns, fields);
    }
  }
  return ApiAnswer{200, {{"indices", std::move(index_names)}, {"fields", std::move(fields)}}, {}};
}

ApiAnswerOr AnswerStats(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  PMDEX_ASSIGN_OR_RETURN(const bool human, call.parameters.Switch("human", false));
  const std::string level(call.parameters.Text("level").value_or("indices"));
  if (!HasWord("cluster indices shards", level)) {
    return BadArgument(absl::StrCat(
        "level parameter must be one of [cluster] or [indices] or [shards] but was [", level, "]"));
  }
  IndexFacts all;
  all.segments.emplace();
  Json by_index = Json::object();
  for (const auto& index : indexes) {
    const IndexFacts facts = FactsOf(*index);
    Add(facts, all);
    Json described = {{"uuid", UuidOf(*index)}};
    described.update(StatsOf(facts, human));
    if (level == "shards") described["shards"] = ShardStatsOf(facts, human);
    by_index[index->name] = std::move(described);
  }
  const Json shards = {{"total", indexes.size()}, {"successful", indexes.size()}, {"failed", 0}};
  Json answer = {{"_shards", shards}, {"_all", StatsOf(all, human)}};
  if (level != "cluster") answer["indices"] = std::move(by_index);
  return ApiAnswer{200, std::move(answer), {}};
}

}  // namespace pmdex
