#include "tools/server/elasticsearch/endpoints/index_facts.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/analysis/analyzer.h"
#include "pmem/checksum.h"
#include "query/columns/snapshot_columns.h"
#include "tools/server/elasticsearch/dsl/field_types.h"
#include "tools/server/writing/index_definition.h"

namespace pmdex {

IndexFacts FactsOf(const ServedIndex& index) {
  const Snapshot& snapshot = index.searcher->snapshot();
  IndexFacts facts;
  facts.documents = snapshot.live_doc_count();
  if (index.is_of_a_user) return facts;
  facts.deleted = snapshot.doc_count() - snapshot.live_doc_count();
  SegmentFacts& segments = facts.segments.emplace();
  segments.count = snapshot.segments().size();
  for (const auto& segment : snapshot.segments()) segments.size_bytes += segment->file_bytes();
  return facts;
}

std::string_view HealthOf(const ServedIndex& index) {
  return index.searcher->answering()->quarantined().empty() ? "green" : "red";
}

std::string_view HealthOf(IndexSpan indexes) {
  const bool is_green = std::all_of(indexes.begin(), indexes.end(),
                                    [](const auto& index) { return HealthOf(*index) == "green"; });
  return is_green ? "green" : "red";
}

std::string UuidOf(const ServedIndex& index) {
  const std::string_view name = index.name;
  const uint64_t hash = Xxh3(std::as_bytes(std::span(name)));
  return absl::StrFormat("pmdex-%016x", hash);
}

namespace {

const MappedFields* DeclaredFields(const ServedIndex& index) {
  return index.definition == nullptr ? nullptr : &index.definition->fields();
}

// Puts what `from` has into `into`, object by object.
void MergeProperties(const Json& from, Json& into) {
  for (const auto& [key, value] : from.items()) {
    Json& place = into[key];
    if (value.is_object() && place.is_object()) {
      MergeProperties(value, place);
    } else {
      place = value;
    }
  }
}

}  // namespace

std::vector<std::string> FieldNamesOf(const ServedIndex& index) {
  const Snapshot& snapshot = index.searcher->snapshot();
  std::vector<std::string> names = ColumnNames(snapshot);
  names.insert(names.end(), snapshot.field_names().begin(), snapshot.field_names().end());
  if (const MappedFields* const declared = DeclaredFields(index)) {
    for (const auto& [path, field] : declared->fields()) names.push_back(path);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Json FieldTypeOf(const ServedIndex& index, std::string_view field) {
  const MappedFields* const declared = DeclaredFields(index);
  if (declared != nullptr) {
    const MappedField* const found = declared->Find(field);
    if (found != nullptr && !found->is_found) return declared->ToJson(std::string(field));
  }
  const Snapshot& snapshot = index.searcher->snapshot();
  const FieldType field_type = TypeOfField(snapshot, field).value_or(FieldType::kText);
  Json type = {{"type", MappedTypeName(field_type)}};
  if (field_type != FieldType::kText) return type;
  const AnalyzerKind kind = snapshot.settings().analyzer;
  if (kind != AnalyzerKind::kStandard) type["analyzer"] = ToString(kind);
  return type;
}

// A name whose parent is a field itself (`a` and `a.b`) makes the parent an object: documents hold
// either a text or an object there. A field of the mapping shows its multi-fields itself.
Json MappingOf(const ServedIndex& index) {
  Json mapping = {{"properties", Json::object()}};
  const MappedFields* const declared = DeclaredFields(index);
  for (const std::string& field : FieldNamesOf(index)) {
    const MappedField* const known = declared == nullptr ? nullptr : declared->Find(field);
    if (known != nullptr && !known->is_found) continue;
    std::string_view name = field;
    Json* place = &mapping["properties"];
    for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
      Json& parent = (*place)[std::string(name.substr(0, dot))];
      if (!parent.contains("properties")) parent["properties"] = Json::object();
      place = &parent["properties"];
      name.remove_prefix(dot + 1);
    }
    (*place)[std::string(name)].update(FieldTypeOf(index, field));
  }
  if (declared == nullptr) return mapping;
  if (mapping["properties"].empty()) mapping.clear();
  MergeProperties(declared->ToJson(), mapping);
  return mapping;
}

Json SettingsOf(const ServedIndex& index) {
  Json settings = {{"number_of_shards", "1"},
                   {"number_of_replicas", "0"},
                   {"provided_name", index.name},
                   {"uuid", UuidOf(index)}};
  const AnalyzerKind kind = index.searcher->snapshot().settings().analyzer;
  settings["analysis"] = {{"analyzer", {{"default", {{"type", ToString(kind)}}}}}};
  if (index.definition != nullptr) {
    for (const auto& [name, value] : index.definition->settings()) {
      if (name.find('.') == name.npos) settings[name] = value;
    }
  }
  return {{"index", std::move(settings)}};
}

std::string HumanSize(uint64_t size_bytes) {
  constexpr std::array<const char*, 6> kUnits = {"b", "kb", "mb", "gb", "tb", "pb"};
  auto size = static_cast<double>(size_bytes);
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  if (unit == 0) return absl::StrCat(size_bytes, "b");
  // One decimal, cut off; none if it is 0.
  const auto tenths = static_cast<uint64_t>(size * 10);
  if (tenths % 10 == 0) return absl::StrCat(tenths / 10, kUnits[unit]);
  return absl::StrCat(tenths / 10, ".", tenths % 10, kUnits[unit]);
}

}  // namespace pmdex
