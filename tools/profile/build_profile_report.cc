#include "tools/profile/build_profile_report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/printable.h"
#include "tools/profile/metric_text.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_tables.h"
#include "tools/report/report_table.h"

namespace pmdex {
namespace {

const StageReport& WaitsOf(const PipelineReport& waits, PipelineStage stage) {
  switch (stage) {
    case PipelineStage::kWalk:
      return waits.walk;
    case PipelineStage::kRead:
      return waits.read;
    case PipelineStage::kIndex:
      return waits.index;
    case PipelineStage::kWrite:
      break;
  }
  return waits.write;
}

// Bytes that were written for each byte of a segment; nothing if there are no segments.
std::optional<double> WriteAmplification(uint64_t written, const PipelineReport& waits) {
  if (waits.write.bytes == 0) return std::nullopt;
  return static_cast<double>(written) / static_cast<double>(waits.write.bytes);
}

void WriteAmplificationOf(uint64_t written, const PipelineReport& waits, JsonWriter& json) {
  const std::optional<double> amplification = WriteAmplification(written, waits);
  if (amplification.has_value()) json.Key("write_amplification").Double(*amplification);
}

void WriteMedia(const BuildProfile& profile, const PipelineReport& waits, JsonWriter& json) {
  json.BeginObject().Key("dimms").BeginObject();
  if (profile.dimms.ok()) {
    const DimmBytes& bytes = *profile.dimms;
    json.Key("source").String("ipmctl show -performance").Key("dimms").Uint(bytes.dimms);
    if (bytes.media_read.has_value()) json.Key("read_bytes").Uint(*bytes.media_read);
    json.Key("written_bytes").Uint(bytes.media_written);
    json.Key("requested_read_bytes").Uint(bytes.requested_reads);
    json.Key("requested_write_bytes").Uint(bytes.requested_writes);
    WriteAmplificationOf(bytes.media_written, waits, json);
  } else {
    json.Key("not_measured").String(Message(profile.dimms.status()));
  }
  json.EndObject().Key("memory_controllers").BeginObject();
  if (profile.controllers.ok()) {
    json.Key("source").String("uncore_imc").Key("read_bytes").Uint(profile.controllers->read);
    json.Key("written_bytes").Uint(profile.controllers->written);
    WriteAmplificationOf(profile.controllers->written, waits, json);
  } else {
    json.Key("not_measured").String(Message(profile.controllers.status()));
  }
  json.EndObject().EndObject();
}

std::string AmplificationText(uint64_t written, const PipelineReport& waits) {
  const std::optional<double> amplification = WriteAmplification(written, waits);
  if (!amplification.has_value()) return "";
  return absl::StrCat(", ", MetricText(*amplification, ""), " times the bytes of segments");
}

std::string MediaToText(const BuildProfile& profile, const PipelineReport& waits) {
  std::string text;
  if (profile.dimms.ok()) {
    const DimmBytes& bytes = *profile.dimms;
    absl::StrAppend(&text, "the machine's DIMMs (", bytes.dimms, ", by ipmctl): ",
                    bytes.media_read.has_value()
                        ? absl::StrCat(HumanBytes(*bytes.media_read), " read from and ")
                        : "",
                    HumanBytes(bytes.media_written), " written to their media",
                    AmplificationText(bytes.media_written, waits), "; asked to read ",
                    HumanBytes(bytes.requested_reads), " and to write ",
                    HumanBytes(bytes.requested_writes), "\n");
  } else {
    absl::StrAppend(&text, "what the DIMMs wrote to their media was not measured: ",
                    Printable(std::string(Message(profile.dimms.status()))), "\n");
  }
  if (profile.controllers.ok()) {
    absl::StrAppend(&text, "the machine's memory controllers (uncore_imc), persistent memory: ",
                    HumanBytes(profile.controllers->read), " read, ",
                    HumanBytes(profile.controllers->written), " written",
                    AmplificationText(profile.controllers->written, waits), "\n");
  } else {
    absl::StrAppend(&text, "what memory controllers wrote to persistent memory was not measured: ",
                    Printable(std::string(Message(profile.controllers.status()))), "\n");
  }
  return text;
}

std::string CountText(const StageProfile& stage, const char* event, double divisor, int decimals) {
  const auto found = stage.counts.find(event);
  if (found == stage.counts.end()) return "";
  return absl::StrFormat("%.*f", decimals, found->second / divisor);
}

// CPU time in seconds, of the events or of the accounts of the kernel.
std::string CpuText(const StageProfile& stage) {
  if (!stage.accounts.has_value()) return CountText(stage, "task_clock_ns", 1e9, 2);
  return absl::StrFormat("%.2f", stage.accounts->cpu_ns() / 1e9);
}

// The accounts of all stages together; nothing if events were counted.
std::optional<ThreadUsage> AllAccounts(const BuildProfile& profile) {
  std::optional<ThreadUsage> all;
  for (const auto& [stage, counted] : profile.stages) {
    if (!counted.accounts.has_value()) continue;
    if (!all.has_value()) all.emplace();
    *all += *counted.accounts;
  }
  return all;
}

// Zeros in all stages come from sandboxes that do not count.
std::string FaultsText(const StageProfile& stage, const std::optional<ThreadUsage>& all) {
  if (!stage.accounts.has_value()) return CountText(stage, "page_faults", 1, 0);
  return all->faults() == 0 ? "" : absl::StrFormat("%.0f", stage.accounts->faults());
}

void AddAccountCells(const StageProfile& stage, const ThreadUsage& all,
                     std::vector<std::string>& cells) {
  const ThreadUsage usage = stage.accounts.value_or(ThreadUsage());
  const bool is_divided = usage.DividesCpuTime();
  cells.push_back(is_divided ? absl::StrFormat("%.2f", usage.user_ns / 1e9) : "");
  cells.push_back(is_divided ? absl::StrFormat("%.2f", usage.system_ns / 1e9) : "");
  if (all.switches() == 0) return;
  cells.push_back(absl::StrFormat("%.0f", usage.voluntary_switches));
  cells.push_back(absl::StrFormat("%.0f", usage.involuntary_switches));
}

ReportTable StageTable(const BuildProfile& profile, const PipelineReport& waits) {
  ReportTable table;
  table.columns = {{"stage"},           {"busy s", true},     {"CPU s", true},
                   {"in wait s", true}, {"out wait s", true}, {"page faults", true}};
  const std::optional<ThreadUsage> all = AllAccounts(profile);
  if (all.has_value()) {
    for (const char* title : {"user s", "system s"}) table.columns.push_back({title, true});
  }
  if (all.has_value() && all->switches() > 0) {
    for (const char* title : {"vol. switches", "invol. switches"}) {
      table.columns.push_back({title, true});
    }
  }
  std::vector<const MetricSet*> sets;
  if (profile.source == "hardware") {
    for (const auto& [stage, counted] : profile.stages) sets.push_back(&counted.metrics);
  }
  const std::vector<ColumnMetric> columns = ColumnsOf(sets);
  for (const ColumnMetric& column : columns) {
    table.columns.push_back({std::string(column.title), true});
  }
  for (const auto& [stage, counted] : profile.stages) {
    const StageReport& report = WaitsOf(waits, stage);
    std::vector<std::string> cells = {ToString(stage),
                                      absl::StrFormat("%.2f", report.busy_seconds()),
                                      CpuText(counted),
                                      absl::StrFormat("%.2f", report.input_wait_seconds),
                                      absl::StrFormat("%.2f", report.output_wait_seconds),
                                      FaultsText(counted, all)};
    if (all.has_value()) AddAccountCells(counted, *all, cells);
    for (std::string& cell : CellsOf(columns, counted.metrics)) cells.push_back(std::move(cell));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// The key "accounts" of the open object. all: those of all stages.
void WriteAccounts(const ThreadUsage& usage, const ThreadUsage& all, JsonWriter& json) {
  json.Key("accounts").BeginObject();
  json.Key("source").String("getrusage(RUSAGE_THREAD)");
  json.Key("cpu_s").Double(usage.cpu_ns() / 1e9);
  if (usage.DividesCpuTime()) {
    json.Key("user_s").Double(usage.user_ns / 1e9).Key("system_s").Double(usage.system_ns / 1e9);
  }
  if (all.faults() > 0) {
    json.Key("minor_faults").Double(usage.minor_faults);
    json.Key("major_faults").Double(usage.major_faults);
  }
  if (all.switches() > 0) {
    json.Key("voluntary_switches").Double(usage.voluntary_switches);
    json.Key("involuntary_switches").Double(usage.involuntary_switches);
  }
  json.EndObject();
}

void WriteStageProfile(const StageProfile& stage, const std::optional<ThreadUsage>& all,
                       JsonWriter& json) {
  json.BeginObject().Key("counts").BeginObject();
  for (const auto& [event, count] : stage.counts) json.Key(event).Double(count);
  json.EndObject();
  WriteMetrics(stage.metrics, json);
  if (stage.accounts.has_value()) WriteAccounts(*stage.accounts, *all, json);
  json.Key("counted_share").Double(stage.least_share).EndObject();
}

}  // namespace

void WriteBuildProfile(const BuildProfile& profile, const PipelineReport& waits, JsonWriter& json) {
  json.BeginObject();
  json.Key("machine").BeginObject();
  WriteCpuAndPmu(profile.cpu, profile.table, profile.pmu, json);
  json.EndObject();
  json.Key("source").String(profile.source);
  json.Key("stages").BeginObject();
  for (const auto& [stage, counted] : profile.stages) {
    json.Key(ToString(stage));
    WriteStageProfile(counted, AllAccounts(profile), json);
  }
  json.EndObject().Key("media");
  WriteMedia(profile, waits, json);
  json.Key("notes").BeginArray();
  for (const std::string& note : profile.notes) json.String(note);
  json.EndArray().EndObject();
}

std::string BuildProfileToText(const BuildProfile& profile, const PipelineReport& waits) {
  std::string text = TableToText(StageTable(profile, waits));
  std::vector<std::pair<std::string, const MetricSet*>> parts;
  for (const auto& [stage, counted] : profile.stages) {
    parts.emplace_back(ToString(stage), &counted.metrics);
  }
  const ReportTable inconsistent = InconsistentOf("stage", parts);
  if (!inconsistent.rows.empty()) {
    absl::StrAppend(&text, "inconsistent, not among the metrics:\n", TableToText(inconsistent));
  }
  double least_share = 1;
  for (const auto& [stage, counted] : profile.stages) {
    least_share = std::min(least_share, counted.least_share);
  }
  if (least_share < 0.99) {
    absl::StrAppendFormat(&text,
                          "the groups of events took turns: each counted %.0f %% of the time or "
                          "more, and was scaled\n",
                          100 * least_share);
  }
  if (profile.pmu.cause != PmuCause::kNone) {
    absl::StrAppend(&text, "no hardware counters: ", profile.pmu.why,
                    ". To change that: ", profile.pmu.change, "\n");
  }
  text += MediaToText(profile, waits);
  for (const std::string& note : profile.notes) {
    absl::StrAppend(&text, "note: ", Printable(note), "\n");
  }
  return text;
}

}  // namespace pmdex
