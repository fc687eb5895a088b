#include "tools/profile/process_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/printable.h"
#include "tools/profile/metric_text.h"
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

std::string SummaryLine(const ProcessProfile& profile) {
  return absl::StrFormat(
      "process %d (%s): %s samples of CPU time in %.1f s%s%s", profile.pid,
      Printable(profile.command), WithThousands(profile.samples), profile.seconds,
      profile.has_ended ? ", then it ended" : "",
      profile.lost > 0 ? absl::StrCat(", ", profile.lost, " more were lost") : "");
}

void WritePhases(const std::vector<PhaseShare>& phases, JsonWriter& json) {
  json.Key("phases").BeginArray();
  for (const PhaseShare& phase : phases) {
    json.BeginObject().Key("phase").String(phase.name);
    json.Key("samples").Uint(phase.samples).Key("share").Double(phase.share).EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ProcessProfileToText(const ProcessProfile& profile) {
  std::string text = SummaryLine(profile) + "\n";
  if (profile.samples == 0) return text + "no thread of it used a CPU in user space\n";
  return absl::StrCat(text, "\n", TableToText(ProcessPhaseTable(profile)), "\n",
                      TableToText(ThreadTable(profile)));
}

std::string ProcessProfileToJson(const ProcessProfile& profile) {
  JsonWriter json;
  json.BeginObject().Key("source").String("software");
  json.Key("pid").Uint(profile.pid).Key("command").String(profile.command);
  json.Key("seconds").Double(profile.seconds).Key("ended").Bool(profile.has_ended);
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
    json.EndObject();
  }
  return json.EndArray().EndObject().result();
}

absl::Status WriteProcessReport(const ProcessProfile& profile, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  HtmlReport report("pmdex profile", SummaryLine(profile));
  report.Section("Phases").Table(ProcessPhaseTable(profile));
  report.Section("Threads").Table(ThreadTable(profile));
  if (profile.samples > 0) {
    report.Picture("Flame graph: a thread, a phase, and the functions in it",
                   FlameGraphSvg(profile.stacks));
  }
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, "report.html", report.Page()));
  return WriteReportFile(directory, "report.json", ProcessProfileToJson(profile) + "\n");
}

}  // namespace pmdex
