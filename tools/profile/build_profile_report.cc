#include "tools/profile/build_profile_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/printable.h"
#include "tools/profile/metric_text.h"
#include "tools/profile/profile_json.h"
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

// Bytes that reached the medium for each byte of a segment; 0: there are no segments.
double WriteAmplification(const MediaBytes& media, const PipelineReport& waits) {
  return waits.write.bytes == 0
             ? 0
             : static_cast<double>(media.written) / static_cast<double>(waits.write.bytes);
}

std::string CountText(const StageProfile& stage, const char* event, double divisor, int decimals) {
  const auto found = stage.counts.find(event);
  if (found == stage.counts.end()) return "";
  return absl::StrFormat("%.*f", decimals, found->second / divisor);
}

constexpr std::array kStageMetrics = {
    std::pair("ipc", "IPC"),
    std::pair("retiring", "retiring"),
    std::pair("bad_speculation", "bad spec."),
    std::pair("frontend_bound", "frontend"),
    std::pair("backend_bound", "backend"),
    std::pair("memory_bound", "memory"),
    std::pair("external_memory_bound", "ext. memory"),
    std::pair("llc_misses_per_1000", "LLC misses per 1,000"),
    std::pair("branch_misses_per_1000", "branch misses per 1,000")};

ReportTable StageTable(const BuildProfile& profile, const PipelineReport& waits) {
  ReportTable table;
  table.columns = {{"stage"},           {"busy s", true},     {"CPU s", true},
                   {"in wait s", true}, {"out wait s", true}, {"page faults", true}};
  const bool has_metrics = profile.source == "hardware";
  for (const auto& [name, title] : kStageMetrics) {
    if (has_metrics) table.columns.push_back({title, true});
  }
  for (const auto& [stage, counted] : profile.stages) {
    const StageReport& report = WaitsOf(waits, stage);
    std::vector<std::string> cells = {ToString(stage),
                                      absl::StrFormat("%.2f", report.busy_seconds()),
                                      CountText(counted, "task_clock_ns", 1e9, 2),
                                      absl::StrFormat("%.2f", report.input_wait_seconds),
                                      absl::StrFormat("%.2f", report.output_wait_seconds),
                                      CountText(counted, "page_faults", 1, 0)};
    for (const auto& [name, title] : kStageMetrics) {
      if (!has_metrics) break;
      const MetricValue* value = counted.metrics.Find(name);
      cells.push_back(value == nullptr ? "" : MetricText(value->value, value->row->unit));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void WriteStageProfile(const StageProfile& stage, JsonWriter& json) {
  json.BeginObject().Key("counts").BeginObject();
  for (const auto& [event, count] : stage.counts) json.Key(event).Double(count);
  json.EndObject();
  WriteMetrics(stage.metrics, json);
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
    WriteStageProfile(counted, json);
  }
  json.EndObject().Key("media").BeginObject();
  if (profile.media.ok()) {
    json.Key("read_bytes").Uint(profile.media->read);
    json.Key("written_bytes").Uint(profile.media->written);
    json.Key("write_amplification").Double(WriteAmplification(*profile.media, waits));
  } else {
    json.Key("not_measured").String(Message(profile.media.status()));
  }
  json.EndObject().Key("notes").BeginArray();
  for (const std::string& note : profile.notes) json.String(note);
  json.EndArray().EndObject();
}

std::string BuildProfileToText(const BuildProfile& profile, const PipelineReport& waits) {
  std::string text = TableToText(StageTable(profile, waits));
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
  if (profile.media.ok()) {
    absl::StrAppend(&text, "persistent memory: ", HumanBytes(profile.media->read), " read, ",
                    HumanBytes(profile.media->written), " written by the whole machine, ",
                    MetricText(WriteAmplification(*profile.media, waits), ""),
                    " times the bytes of segments\n");
  } else {
    absl::StrAppend(&text, "what the medium wrote was not measured: ",
                    Printable(std::string(Message(profile.media.status()))), "\n");
  }
  for (const std::string& note : profile.notes) {
    absl::StrAppend(&text, "note: ", Printable(note), "\n");
  }
  return text;
}

}  // namespace pmdex
