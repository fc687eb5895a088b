#include "tools/profile/process_report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/printable.h"
#include "tools/profile/accounts_report.h"
#include "tools/profile/metric_text.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_plots.h"
#include "tools/profile/profile_tables.h"
#include "tools/report/drawn_plot.h"
#include "tools/report/html_report.h"
#include "tools/report/report_files.h"
#include "tools/report/report_table.h"

namespace pmdex {
namespace {

std::string PhasesInWords(const std::vector<PhaseShare>& phases) {
  std::string text;
  for (const PhaseShare& phase : phases) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", phase.name, " ",
                    MetricText(phase.share, "share"));
  }
  return text;
}

ReportTable ThreadTable(const ProcessProfile& profile) {
  ReportTable table;
  table.key_columns = 2;
  table.columns = {{"thread"}, {"name"}, {"samples", true}, {"CPU s", true}, {"page faults", true},
                   {"phases"}};
  for (const ThreadProfile& thread : profile.threads) {
    table.rows.push_back({absl::StrCat(thread.thread), thread.name, WithThousands(thread.samples),
                          thread.has_counts ? absl::StrFormat("%.3f", thread.cpu_s) : "",
                          thread.has_counts ? WithThousands(thread.page_faults) : "",
                          PhasesInWords(thread.phases)});
  }
  return table;
}

ReportTable ProcessPhaseTable(const ProcessProfile& profile) {
  ReportTable table;
  table.columns = {{"phase"}, {"samples", true}, {"share", true}};
  for (const PhaseShare& phase : profile.phases) {
    table.rows.push_back(
        {phase.name, WithThousands(phase.samples), MetricText(phase.share, "share")});
  }
  return table;
}

// With hardware counters only: one row for all threads, and one for each.
ReportTable CounterTable(const ProcessProfile& profile) {
  ReportTable table;
  table.caption = "What they cost the CPU";
  table.key_columns = 2;
  if (profile.metrics.values.empty()) return table;
  std::vector<const MetricSet*> sets = {&profile.metrics};
  for (const ThreadProfile& thread : profile.threads) sets.push_back(&thread.metrics);
  const std::vector<ColumnMetric> columns = ColumnsOf(sets);
  table.columns = {{"thread"}, {"name"}};
  for (const ColumnMetric& column : columns) {
    table.columns.push_back({std::string(column.title), true});
  }
  const auto add = [&](std::string thread, const std::string& name, const MetricSet& metrics) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {std::move(thread), name};
    for (std::string& cell : CellsOf(columns, metrics)) row.push_back(std::move(cell));
  };
  add("all", "", profile.metrics);
  for (const ThreadProfile& thread : profile.threads) {
    add(absl::StrCat(thread.thread), thread.name, thread.metrics);
  }
  return table;
}

// The threads with the most samples, as many as bars fit beside each other.
std::vector<Plot> ThreadPlots(const ProcessProfile& profile) {
  constexpr size_t kMostBars = 24;
  if (profile.table == nullptr) return {};
  std::vector<NamedMetrics> bars;
  if (!profile.metrics.values.empty()) bars.push_back({"all", &profile.metrics});
  for (const ThreadProfile& thread : profile.threads) {
    if (bars.size() == kMostBars) break;
    if (thread.metrics.values.empty()) continue;
    bars.push_back({absl::StrCat(thread.name, " ", thread.thread), &thread.metrics});
  }
  return TopDownPlots(*profile.table, "threads", "by thread", "", bars);
}

ReportTable InconsistentOfThreads(const ProcessProfile& profile) {
  std::vector<std::pair<std::string, const MetricSet*>> parts = {{"all", &profile.metrics}};
  for (const ThreadProfile& thread : profile.threads) {
    parts.emplace_back(absl::StrCat(thread.thread, " ", thread.name), &thread.metrics);
  }
  return InconsistentOf("thread", parts);
}

// What keeps pmdex from sampling the process keeps it from counting, too.
bool HasOneCause(const ProcessProfile& profile) {
  return profile.accounts.has_value() && profile.pmu.why == profile.no_samples.why;
}

void AddAccountNotes(const ProcessProfile& profile, std::vector<std::string>& notes) {
  notes.insert(
      notes.begin(),
      absl::StrCat("no samples", HasOneCause(profile) ? " and no hardware counters" : "",
                   ", so that nothing is known of phases and functions: ", profile.no_samples.why,
                   ". To change that: ", profile.no_samples.change));
  notes.insert(notes.end(), profile.accounts->notes.begin(), profile.accounts->notes.end());
  if (profile.accounts->idle_threads > 0) {
    notes.push_back(absl::StrCat("threads that did nothing and are not listed: ",
                                 profile.accounts->idle_threads));
  }
}

// Why there are no hardware counters, and what else the reader must know.
std::vector<std::string> NotesOf(const ProcessProfile& profile) {
  std::vector<std::string> notes = profile.notes;
  if (profile.pmu.cause != PmuCause::kNone && !HasOneCause(profile)) {
    notes.insert(notes.begin(), absl::StrCat("no hardware counters: ", profile.pmu.why,
                                             ". To change that: ", profile.pmu.change));
  }
  if (profile.accounts.has_value()) AddAccountNotes(profile, notes);
  return notes;
}

const char* SourceOf(const ProcessProfile& profile) {
  if (profile.accounts.has_value()) return "accounts";
  return profile.pmu.cause == PmuCause::kNone ? "hardware" : "software";
}

std::string SummaryLine(const ProcessProfile& profile) {
  if (profile.accounts.has_value()) {
    return absl::StrFormat("process %d (%s): what the kernel's accounts in /proc say of %.1f s%s",
                           profile.pid, Printable(profile.command), profile.seconds,
                           profile.has_ended ? ", then it ended" : "");
  }
  return absl::StrFormat(
      "process %d (%s): %s samples of CPU time in %.1f s%s%s", profile.pid,
      Printable(profile.command), WithThousands(profile.samples), profile.seconds,
      profile.has_ended ? ", then it ended" : "",
      profile.lost > 0 ? absl::StrCat(", ", profile.lost, " more were lost") : "");
}

// Keys of the object that is open.
void WriteSampled(const ProcessProfile& profile, JsonWriter& json) {
  json.Key("samples").Uint(profile.samples).Key("lost").Uint(profile.lost);
  WritePhases(profile.phases, json);
  json.Key("threads").BeginArray();
  for (const ThreadProfile& thread : profile.threads) {
    json.BeginObject().Key("thread").Uint(thread.thread).Key("name").String(thread.name);
    json.Key("samples").Uint(thread.samples);
    if (thread.has_counts) {
      json.Key("cpu_s").Double(thread.cpu_s).Key("page_faults").Uint(thread.page_faults);
    }
    WritePhases(thread.phases, json);
    if (!thread.metrics.values.empty() || !thread.metrics.inconsistent.empty()) {
      WriteMetrics(thread.metrics, json);
    }
    json.EndObject();
  }
  json.EndArray();
  WriteMetrics(profile.metrics, json);
}

absl::Status AddSampledSections(const ProcessProfile& profile, const std::string& directory,
                                HtmlReport& report) {
  report.Section("Phases");
  for (const std::string& note : NotesOf(profile)) report.Paragraph(note);
  report.Table(ProcessPhaseTable(profile));
  report.Section("Threads").Table(ThreadTable(profile));
  const ReportTable counters = CounterTable(profile);
  for (const Plot& plot : ThreadPlots(profile)) {
    PMDEX_ASSIGN_OR_RETURN(const DrawnPlot drawn, DrawPlot(plot, directory));
    report.Plot(drawn);
  }
  if (!counters.rows.empty()) report.Table(counters);
  const ReportTable inconsistent = InconsistentOfThreads(profile);
  if (!inconsistent.rows.empty()) {
    report.Warning("These values were computed but cannot be right; they are in no other table.");
    report.Table(inconsistent);
  }
  if (profile.samples > 0) {
    report.Picture("Flame graph: a thread, and the functions on it by call",
                   FlameGraphSvg(profile.stacks));
  }
  return absl::OkStatus();
}

}  // namespace

std::string ProcessProfileToText(const ProcessProfile& profile) {
  std::string text = SummaryLine(profile) + "\n";
  for (const std::string& note : NotesOf(profile)) {
    absl::StrAppend(&text, "note: ", Printable(note), "\n");
  }
  if (profile.accounts.has_value()) {
    return absl::StrCat(text, "\n", TableToText(AccountsTable(*profile.accounts)));
  }
  if (profile.samples == 0) return text + "no thread of it used a CPU in user space\n";
  for (const ReportTable& table :
       {ProcessPhaseTable(profile), ThreadTable(profile), CounterTable(profile)}) {
    if (!table.rows.empty()) absl::StrAppend(&text, "\n", TableToText(table));
  }
  const ReportTable inconsistent = InconsistentOfThreads(profile);
  if (!inconsistent.rows.empty()) {
    absl::StrAppend(&text, "\ninconsistent, not among the metrics:\n", TableToText(inconsistent));
  }
  return text;
}

std::string ProcessProfileToJson(const ProcessProfile& profile) {
  JsonWriter json;
  json.BeginObject().Key("machine").BeginObject();
  const bool has_table = profile.table != nullptr && !profile.accounts.has_value();
  WriteCpuAndPmu(profile.cpu, has_table ? profile.table->name : "", profile.pmu, json);
  json.EndObject().Key("source").String(SourceOf(profile));
  json.Key("pid").Uint(profile.pid).Key("command").String(profile.command);
  json.Key("seconds").Double(profile.seconds).Key("ended").Bool(profile.has_ended);
  if (profile.accounts.has_value()) {
    json.Key("why_no_samples").BeginObject().Key("cause");
    json.String(ToString(profile.no_samples.cause)).Key("why").String(profile.no_samples.why);
    json.Key("change").String(profile.no_samples.change).EndObject();
    WriteAccounts(*profile.accounts, json);
  } else {
    WriteSampled(profile, json);
  }
  json.Key("notes").BeginArray();
  for (const std::string& note : NotesOf(profile)) json.String(note);
  return json.EndArray().EndObject().result();
}

absl::Status WriteProcessReport(const ProcessProfile& profile, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  HtmlReport report("pmdex profile", SummaryLine(profile));
  if (profile.accounts.has_value()) {
    report.Section("Threads, by the accounts of the kernel");
    std::vector<std::string> notes = NotesOf(profile);
    report.Warning(notes.front());  // why there are no samples
    for (size_t i = 1; i < notes.size(); ++i) report.Paragraph(notes[i]);
    report.Table(AccountsTable(*profile.accounts));
  } else {
    PMDEX_RETURN_IF_ERROR(AddSampledSections(profile, directory, report));
  }
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, "report.html", report.Page()));
  return WriteReportFile(directory, "report.json", ProcessProfileToJson(profile) + "\n");
}

}  // namespace pmdex
