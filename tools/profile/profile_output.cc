#include "tools/profile/profile_output.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/report/html_report.h"
#include "tools/report/report_files.h"
#include "tools/report/report_table.h"

namespace pmdex {
namespace {

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
  json.Key("inconsistent").BeginArray();
  for (const InconsistentMetric& metric : metrics.inconsistent) {
    json.BeginObject();
    json.Key("name").String(metric.name);
    json.Key("value").Double(metric.value);
    json.Key("why").String(metric.why);
    json.EndObject();
  }
  json.EndArray();
}

void WriteGroups(const char* key, const std::vector<QueryGroup>& groups, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const QueryGroup& group : groups) {
    json.BeginObject();
    if (group.name.empty()) {
      json.Key("postings_from").Uint(group.range.from);
      json.Key("postings_to").Uint(group.range.to);
    } else {
      json.Key("name").String(group.name);
    }
    json.Key("queries").Uint(group.queries);
    WriteMetrics(group.metrics, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteNotes(const std::vector<std::string>& notes, JsonWriter& json) {
  json.Key("notes").BeginArray();
  for (const std::string& note : notes) json.String(note);
  json.EndArray();
}

void WriteConfiguration(const ProfiledConfiguration& configuration, JsonWriter& json) {
  json.BeginObject();
  json.Key("index").String(configuration.index);
  json.Key("mode").String(configuration.mode);
  json.Key("threads").Uint(configuration.threads);
  json.Key("documents").Uint(configuration.documents);
  json.Key("index_bytes").Uint(configuration.index_bytes);
  json.Key("queries").Uint(configuration.queries);
  json.Key("kernels").String(configuration.kernels);
  WriteMetrics(configuration.metrics, json);
  WriteGroups("buckets", configuration.buckets, json);
  WriteGroups("classes", configuration.classes, json);
  WriteGroups("plans", configuration.plans, json);
  json.Key("phases").BeginArray();
  for (const PhaseShare& phase : configuration.phases) {
    json.BeginObject();
    json.Key("name").String(phase.name);
    json.Key("samples").Uint(phase.samples);
    json.Key("share").Double(phase.share);
    json.EndObject();
  }
  json.EndArray();
  WriteNotes(configuration.notes, json);
  json.EndObject();
}

std::string Number(double value) {
  if (value == 0 || (value >= 100 && value < 1e15))
    return WithThousands(static_cast<uint64_t>(std::llround(value)));
  return absl::StrFormat("%.3g", value);
}

ReportTable MetricTable(const MetricSet& metrics) {
  ReportTable table = {"Metrics", {{"metric"}, {"value", true}, {"unit"}, {"source"}}, {}};
  for (const MetricValue& metric : metrics.values) {
    table.rows.push_back({std::string(metric.row->name), Number(metric.value),
                          std::string(metric.row->unit), std::string(metric.row->source)});
  }
  return table;
}

std::string NameOfGroup(const QueryGroup& group) {
  if (!group.name.empty()) return group.name;
  return absl::StrCat(WithThousands(group.range.from), " to ", WithThousands(group.range.to - 1));
}

// One row for each group; a column for each of the metrics that readers compare, if it was
// measured.
ReportTable GroupTable(const char* caption, const char* key,
                       const std::vector<QueryGroup>& groups) {
  constexpr std::string_view kCompared[] = {
      "time_us",       "instructions_per_query", "ipc",
      "retiring",      "bad_speculation",        "frontend_bound",
      "backend_bound", "memory_bound",           "external_memory_bound",
      "pm_bound",      "llc_misses_per_1000",    "branch_misses_per_1000",
      "task_clock_us", "minor_faults_per_query", "major_faults_per_query"};
  ReportTable table = {caption, {{key}, {"queries", true}}, {}};
  for (const QueryGroup& group : groups) {
    table.rows.push_back({NameOfGroup(group), WithThousands(group.queries)});
  }
  for (const std::string_view name : kCompared) {
    bool measured = false;
    for (const QueryGroup& group : groups) measured |= group.metrics.Find(name) != nullptr;
    if (!measured) continue;
    table.columns.push_back({std::string(name), true});
    for (size_t i = 0; i < groups.size(); ++i) {
      const MetricValue* metric = groups[i].metrics.Find(name);
      table.rows[i].push_back(metric == nullptr ? "" : Number(metric->value));
    }
  }
  return table;
}

std::vector<ReportTable> TablesOf(const ProfiledConfiguration& configuration) {
  std::vector<ReportTable> tables = {
      MetricTable(configuration.metrics),
      GroupTable("By postings of the lists of a query", "postings", configuration.buckets),
      GroupTable("By class", "class", configuration.classes),
      GroupTable("By plan", "plan", configuration.plans)};
  ReportTable phases = {"Phases (samples of CPU time)", {{"phase"}, {"share", true}}, {}};
  for (const PhaseShare& phase : configuration.phases) {
    phases.rows.push_back({phase.name, absl::StrFormat("%.1f %%", 100 * phase.share)});
  }
  if (!phases.rows.empty()) tables.push_back(std::move(phases));
  return tables;
}

std::string TitleOfConfiguration(const ProfiledConfiguration& configuration) {
  return absl::StrCat(
      configuration.index, ", ", configuration.mode, ", ", WithThousands(configuration.queries),
      " queries, threads: ", configuration.threads, ", kernels: ", configuration.kernels);
}

std::vector<std::string> NotesOf(const ProfiledConfiguration& configuration) {
  std::vector<std::string> notes = configuration.notes;
  for (const InconsistentMetric& metric : configuration.metrics.inconsistent) {
    notes.push_back(absl::StrCat("inconsistent: ", metric.name, ": ", metric.why));
  }
  return notes;
}

std::vector<std::pair<std::string, std::string>> FactsOf(const ProfileResult& result) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"CPU", result.cpu.brand.empty() ? "unknown" : result.cpu.brand},
      {"events", std::string(result.table->title)}};
  if (result.pmu.cause != PmuCause::kNone) {
    facts.emplace_back("no hardware counters", result.pmu.why);
    facts.emplace_back("to change that", result.pmu.change);
  }
  return facts;
}

}  // namespace

std::string ProfileToJson(const ProfileResult& result) {
  JsonWriter json;
  json.BeginObject().Key("machine").BeginObject();
  json.Key("cpu").String(result.cpu.brand);
  json.Key("table").String(result.table->name);
  json.Key("pmu").Bool(result.pmu.cause == PmuCause::kNone);
  if (result.pmu.cause != PmuCause::kNone) {
    json.Key("cause").String(ToString(result.pmu.cause));
    json.Key("why_not").String(result.pmu.why);
    json.Key("change").String(result.pmu.change);
  }
  json.EndObject();
  json.Key("source").String(result.source);
  json.Key("configurations").BeginArray();
  for (const auto& configuration : result.configurations) WriteConfiguration(configuration, json);
  json.EndArray();
  WriteNotes(result.notes, json);
  return json.EndObject().result();
}

std::string ProfileToText(const ProfileResult& result) {
  std::string text;
  for (const auto& [name, value] : FactsOf(result)) absl::StrAppend(&text, name, ": ", value, "\n");
  for (const std::string& note : result.notes) absl::StrAppend(&text, "note: ", note, "\n");
  for (const ProfiledConfiguration& configuration : result.configurations) {
    absl::StrAppend(&text, "\n", TitleOfConfiguration(configuration), "\n");
    for (const ReportTable& table : TablesOf(configuration)) {
      absl::StrAppend(&text, "\n", TableToText(table));
    }
    for (const std::string& note : NotesOf(configuration)) {
      absl::StrAppend(&text, "\nnote: ", note);
    }
    text += "\n";
  }
  return text;
}

std::string ProfileToHtml(const ProfileResult& result) {
  HtmlReport report("pmdex profile", "Where the time of queries goes");
  report.Section("The machine").Facts(FactsOf(result));
  for (const std::string& note : result.notes) report.Warning(note);
  for (const ProfiledConfiguration& configuration : result.configurations) {
    report.Section(TitleOfConfiguration(configuration));
    for (const std::string& note : NotesOf(configuration)) report.Warning(note);
    for (const ReportTable& table : TablesOf(configuration)) report.Table(table);
    const std::string flames = FlameGraphSvg(configuration.stacks);
    if (!flames.empty()) report.Picture("Phases and functions, by samples of CPU time", flames);
  }
  return report.Page();
}

absl::Status WriteProfile(const ProfileResult& result, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, "profile.json", ProfileToJson(result) + "\n"));
  return WriteReportFile(directory, "profile.html", ProfileToHtml(result));
}

}  // namespace pmdex
