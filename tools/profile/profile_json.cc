#include "tools/profile/profile_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/json_writer.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

using Json = nlohmann::ordered_json;

// In groups only names and values: unit and formula stand in the metrics of the whole.
void WriteValues(const MetricSet& metrics, JsonWriter& json) {
  json.Key("metrics").BeginObject();
  for (const MetricValue& metric : metrics.values) {
    json.Key(metric.row->name).BeginObject().Key("value").Double(metric.value);
    json.Key("unit").String(metric.row->unit).EndObject();
  }
  json.EndObject();
}

void WriteInconsistent(const MetricSet& metrics, JsonWriter& json) {
  json.Key("inconsistent").BeginArray();
  for (const InconsistentMetric& metric : metrics.inconsistent) {
    json.BeginObject().Key("metric").String(metric.name);
    json.Key("value").Double(metric.value).Key("unit").String(metric.unit);
    json.Key("why").String(metric.why).EndObject();
  }
  json.EndArray();
}

void WriteReads(const std::optional<CounterReads>& reads, JsonWriter& json) {
  if (!reads.has_value()) return;
  json.Key("reads").BeginObject().Key("read_ns").Double(reads->read_ns);
  json.Key("fewest_runs").Uint(reads->fewest_runs).Key("most_runs").Uint(reads->most_runs);
  json.Key("share").Double(reads->share).EndObject();
}

void WriteStrings(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteTouched(const std::vector<TouchedSection>& touched, uint64_t queries, JsonWriter& json) {
  if (touched.empty()) return;
  json.Key("touched").BeginObject().Key("queries").Uint(queries);
  json.Key("sections").BeginArray();
  for (const TouchedSection& one : touched) {
    json.BeginObject().Key("section").String(one.section);
    json.Key("bytes").Double(one.bytes());
    json.Key("random_lines").Double(one.random_lines);
    json.Key("sequential_lines").Double(one.sequential_lines).EndObject();
  }
  json.EndArray().EndObject();
}

void WriteGroups(std::string_view key, const std::vector<QueryGroup>& groups, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const QueryGroup& group : groups) {
    json.BeginObject();
    if (!group.name.empty()) json.Key("name").String(group.name);
    if (group.range.to > 0) {
      json.Key("postings_from").Uint(group.range.from);
      json.Key("postings_to").Uint(group.range.to);
    }
    json.Key("queries").Uint(group.queries);
    WriteReads(group.reads, json);
    WriteValues(group.metrics, json);
    WriteInconsistent(group.metrics, json);
    if (!group.phases.empty()) WritePhases(group.phases, json);
    WriteTouched(group.touched, group.touched_queries, json);
    if (!group.notes.empty()) WriteStrings("notes", group.notes, json);
    json.EndObject();
  }
  json.EndArray();
}

// What the metrics were computed from, so that others can check them and test tables with them.
void WriteCounts(const ProfiledConfiguration& configuration, const EventTable& table,
                 JsonWriter& json) {
  json.Key("counts").BeginObject();
  for (const auto& [name, count] : configuration.counts) {
    const CounterEvent* const event = table.FindEvent(name);
    json.Key(name).BeginObject().Key("value").Double(count);
    json.Key("event").String(event == nullptr ? "" : event->source).EndObject();
  }
  json.EndObject();
}

void WriteConfiguration(const ProfiledConfiguration& configuration, const EventTable& table,
                        JsonWriter& json) {
  json.Key("index").String(configuration.index);
  json.Key("mode").String(configuration.mode);
  json.Key("threads").Uint(configuration.threads);
  json.Key("documents").Uint(configuration.documents);
  json.Key("index_bytes").Uint(configuration.index_bytes);
  json.Key("kernels").String(configuration.kernels);
  json.Key("queries").Uint(configuration.queries);
  WriteGroups("buckets", configuration.buckets, json);
  WriteGroups("classes", configuration.classes, json);
  WriteGroups("plans", configuration.plans, json);
  if (!configuration.each_query.empty()) {
    WriteGroups("each_query", configuration.each_query, json);
  }
  WritePhases(configuration.phases, json);
  WriteTouched(configuration.touched, configuration.touched_queries, json);
  WriteMetrics(configuration.metrics, json);
  WriteCounts(configuration, table, json);
  if (configuration.mapping.has_value()) {
    json.Key("mapping").BeginObject().Key("bytes").Uint(configuration.mapping->bytes);
    json.Key("resident_bytes").Uint(configuration.mapping->resident);
    json.Key("huge_page_bytes").Uint(configuration.mapping->huge).EndObject();
  }
  if (configuration.read_ns > 0) json.Key("counter_read_ns").Double(configuration.read_ns);
  WriteReads(configuration.reads, json);
  WriteStrings("notes", configuration.notes, json);
}

void WriteMachine(const ProfileResult& result, JsonWriter& json) {
  json.Key("machine").BeginObject();
  WriteCpuAndPmu(result.cpu, result.table->name, result.pmu, json);
  for (const auto& [name, value] : result.machine) json.Key(name).String(value);
  json.EndObject();
}

// A member of an object; null if the value is no object or has no such member.
const Json& MemberOf(const Json& value, const char* name) {
  static const auto* const kNull = new Json();
  if (!value.is_object()) return *kNull;
  const auto found = value.find(name);
  return found == value.end() ? *kNull : *found;
}

std::string TextOf(const Json& value) {
  const auto* text = value.get_ptr<const Json::string_t*>();
  return text == nullptr ? "" : *text;
}

// The metrics and phases of one configuration; the rest is that of `common`.
SavedProfile ConfigurationOf(const Json& configuration, SavedProfile common) {
  SavedProfile saved = std::move(common);
  const Json& threads = MemberOf(configuration, "threads");
  saved.configuration = TextOf(MemberOf(configuration, "mode"));
  if (threads.is_number_unsigned()) {
    const auto count = threads.get<uint64_t>();
    absl::StrAppend(&saved.configuration, ", ", count, count == 1 ? " thread" : " threads");
  }
  for (const auto& [name, metric] : MemberOf(configuration, "metrics").items()) {
    const Json& value = MemberOf(metric, "value");
    if (!value.is_number()) continue;
    saved.order.push_back(name);
    saved.metrics[name] = {value.get<double>(), TextOf(MemberOf(metric, "unit"))};
  }
  for (const Json& phase : MemberOf(configuration, "phases")) {
    const Json& share = MemberOf(phase, "share");
    if (share.is_number()) saved.phases[TextOf(MemberOf(phase, "phase"))] = share.get<double>();
  }
  return saved;
}

}  // namespace

void WriteMetrics(const MetricSet& metrics, JsonWriter& json) {
  json.Key("metrics").BeginObject();
  for (const MetricValue& metric : metrics.values) {
    json.Key(metric.row->name).BeginObject();
    json.Key("value").Double(metric.value);
    json.Key("unit").String(metric.row->unit);
    json.Key("formula").String(metric.row->formula);
    json.Key("source").String(metric.row->source);
    json.EndObject();
  }
  json.EndObject();
  WriteInconsistent(metrics, json);
}

void WritePhases(const std::vector<PhaseShare>& phases, JsonWriter& json) {
  json.Key("phases").BeginArray();
  for (const PhaseShare& phase : phases) {
    json.BeginObject().Key("phase").String(phase.name);
    json.Key("samples").Uint(phase.samples).Key("share").Double(phase.share).EndObject();
  }
  json.EndArray();
}

void WriteCpuAndPmu(const CpuIdentity& cpu, std::string_view table, const PmuDiagnosis& pmu,
                    JsonWriter& json) {
  json.Key("cpu").String(cpu.brand);
  if (!table.empty()) json.Key("table").String(table);
  json.Key("pmu").Bool(pmu.cause == PmuCause::kNone);
  json.Key("why_not");
  if (pmu.cause == PmuCause::kNone) {
    json.Null();
  } else {
    json.BeginObject().Key("cause").String(ToString(pmu.cause));
    json.Key("why").String(pmu.why).Key("change").String(pmu.change).EndObject();
  }
}

std::string ProfileToJson(const ProfileResult& result) {
  JsonWriter json;
  json.BeginObject();
  WriteMachine(result, json);
  json.Key("source").String(result.source);
  WriteConfiguration(result.configurations[0], *result.table, json);
  json.Key("configurations").BeginArray();
  for (const ProfiledConfiguration& configuration : result.configurations) {
    json.BeginObject();
    WriteConfiguration(configuration, *result.table, json);
    json.EndObject();
  }
  json.EndArray();
  WriteStrings("run_notes", result.notes, json);
  return json.EndObject().result();
}

absl::StatusOr<std::vector<SavedProfile>> ReadSavedProfiles(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(path));
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& metrics = MemberOf(document, "metrics");
  const Json& source = MemberOf(document, "source");
  if (!metrics.is_object() || metrics.empty() || !source.is_string()) {
    return InvalidArgument(absl::StrCat(path, ": not a file of pmdex profile --json"));
  }
  SavedProfile common;
  common.path = path;
  common.source = TextOf(source);
  common.cpu = TextOf(MemberOf(MemberOf(document, "machine"), "cpu"));
  // The first configuration is the document itself.
  std::vector<SavedProfile> profiles = {ConfigurationOf(document, common)};
  const Json& configurations = MemberOf(document, "configurations");
  for (size_t i = 1; i < configurations.size(); ++i) {
    profiles.push_back(ConfigurationOf(configurations[i], common));
  }
  return profiles;
}

}  // namespace pmdex
