#include "tools/profile/profile_report.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/command.h"
#include "tools/printable.h"
#include "tools/profile/profile_diff.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_plots.h"
#include "tools/profile/profile_tables.h"
#include "tools/report/drawn_plot.h"
#include "tools/report/html_report.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

std::string SourceInWords(const ProfileResult& result) {
  if (result.source == "hardware") {
    return absl::StrCat("hardware counters, by the table ", std::string(result.table->name), " (",
                        std::string(result.table->title), ")");
  }
  if (result.source == "simulated") {
    return "simulated by callgrind: no time, no prefetching, no speculation";
  }
  return "software events: there are no hardware counters";
}

std::vector<std::pair<std::string, std::string>> MachineFacts(const ProfileResult& result) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"CPU", result.cpu.brand.empty() ? "unknown" : result.cpu.brand},
      {"measured by", SourceInWords(result)}};
  facts.insert(facts.end(), result.machine.begin(), result.machine.end());
  for (const ProfiledConfiguration& configuration : result.configurations) {
    const std::optional<IndexMapping>& mapping = configuration.mapping;
    const std::string mapped =
        !mapping.has_value() ? ""
                             : absl::StrCat(", ", HumanBytes(mapping->resident), " of it mapped, ",
                                            HumanBytes(mapping->huge), " by pages of 2 MiB");
    facts.emplace_back(
        NameOfConfiguration(result, configuration),
        absl::StrCat(configuration.index, ", ", WithThousands(configuration.documents),
                     " documents, ", HumanBytes(configuration.index_bytes), mapped, ", ",
                     WithThousands(configuration.queries), " queries, kernels ",
                     configuration.kernels));
  }
  return facts;
}

std::string WhyNoPmu(const ProfileResult& result) {
  return absl::StrCat(result.source == "hardware" ? "Some hardware counters are left out: "
                                                  : "No hardware counters: ",
                      result.pmu.why, ". To change that: ", result.pmu.change, ".");
}

// Notes of the configuration, then of its groups.
std::vector<std::string> NotesOfConfiguration(const ProfiledConfiguration& configuration) {
  std::vector<std::string> notes = configuration.notes;
  for (const auto& [kind, groups] :
       {std::pair("class", &configuration.classes), std::pair("plan", &configuration.plans),
        std::pair("postings", &configuration.buckets)}) {
    for (const QueryGroup& group : *groups) {
      for (const std::string& note : group.notes) {
        notes.push_back(absl::StrCat(kind, " ", LabelOf(group), ": ", note));
      }
    }
  }
  return notes;
}

// What the text and the page have alike: notes of the run and of each configuration.
std::vector<std::string> AllNotes(const ProfileResult& result) {
  std::vector<std::string> notes = result.notes;
  for (const ProfiledConfiguration& configuration : result.configurations) {
    for (const std::string& note : NotesOfConfiguration(configuration)) {
      notes.push_back(result.configurations.size() == 1
                          ? note
                          : absl::StrCat(NameOfConfiguration(result, configuration), ": ", note));
    }
  }
  return notes;
}

// The difference of a configuration to the first one.
struct Comparison {
  std::string words;
  ReportTable parts;  // by node of the hierarchy, or by phase; without rows if neither is known
};

std::vector<Comparison> Comparisons(const ProfileResult& result) {
  std::vector<Comparison> comparisons;
  const ProfiledConfiguration& first = result.configurations[0];
  const SavedProfile a = AsSaved(first, "A", result.source);
  for (size_t i = 1; i < result.configurations.size(); ++i) {
    const ProfiledConfiguration& other = result.configurations[i];
    const SavedProfile b = AsSaved(other, "B", result.source);
    Comparison& comparison = comparisons.emplace_back();
    comparison.words =
        absl::StrCat("A is ", NameOfConfiguration(result, first), "; B is ",
                     NameOfConfiguration(result, other), ". ", DifferenceInWords(a, b));
    comparison.parts = PartsOfDifference(a, b);
  }
  return comparisons;
}

// The metrics without formulas and sources, which are too wide for a terminal.
ReportTable NarrowMetricTable(const ProfileResult& result) {
  ReportTable table = MetricTable(result);
  table.columns.resize(table.columns.size() - 2);
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

void AddConfigurationSection(const ProfileResult& result,
                             const ProfiledConfiguration& configuration, HtmlReport& report) {
  report.Section(NameOfConfiguration(result, configuration));
  report.Table(GroupTable("By class", "class", configuration.classes));
  report.Table(GroupTable("By plan: the algorithm of the planner", "plan", configuration.plans));
  report.Table(GroupTable("By length of the posting lists", "postings", configuration.buckets));
  if (!configuration.each_query.empty()) report.Table(QueryTable(configuration, 50));
  if (!configuration.touched.empty()) {
    report.Table(TouchedTable(configuration));
    report.Table(TouchedByClassTable(configuration));
  }
  if (configuration.phases.empty()) return;
  ReportTable phases = PhaseTable(configuration, result.source == "simulated");
  phases.caption = "By phase, told by the functions that ran";
  report.Table(phases);
  const ReportTable by_class = PhasesByClassTable(configuration);
  if (!by_class.rows.empty()) report.Table(by_class);
  report.Picture("Flame graph: a class of queries, and the functions on it by call",
                 FlameGraphSvg(configuration.stacks));
}

absl::Status AddPlots(const ProfileResult& result, const std::string& directory,
                      HtmlReport& report) {
  for (const Plot& plot : ProfilePlots(result)) {
    PMDEX_ASSIGN_OR_RETURN(const DrawnPlot drawn, DrawPlot(plot, directory));
    report.Plot(drawn);
  }
  return absl::OkStatus();
}

}  // namespace

std::string ProfileToText(const ProfileResult& result) {
  std::string text;
  for (const auto& [name, value] : MachineFacts(result)) {
    absl::StrAppend(&text, Printable(name), ": ", Printable(value), "\n");
  }
  if (result.pmu.cause != PmuCause::kNone) absl::StrAppend(&text, WhyNoPmu(result), "\n");
  absl::StrAppend(&text, "\n", TableToText(NarrowMetricTable(result)));
  for (const ProfiledConfiguration& configuration : result.configurations) {
    absl::StrAppend(&text, "\n", NameOfConfiguration(result, configuration), "\n");
    for (const ReportTable& table :
         {GroupTable("", "class", configuration.classes),
          GroupTable("", "plan", configuration.plans),
          GroupTable("", "postings", configuration.buckets), QueryTable(configuration, 10),
          TouchedTable(configuration), TouchedByClassTable(configuration),
          PhaseTable(configuration, result.source == "simulated"),
          PhasesByClassTable(configuration)}) {
      if (!table.rows.empty()) absl::StrAppend(&text, TableToText(table), "\n");
    }
  }
  for (const Comparison& comparison : Comparisons(result)) {
    absl::StrAppend(&text, Printable(comparison.words), "\n");
    if (!comparison.parts.rows.empty()) {
      absl::StrAppend(&text, "\n", TableToText(comparison.parts), "\n");
    }
  }
  const ReportTable inconsistent = InconsistentTable(result);
  if (!inconsistent.rows.empty()) {
    absl::StrAppend(&text, "inconsistent, not among the metrics:\n", TableToText(inconsistent));
  }
  for (const std::string& note : AllNotes(result)) {
    absl::StrAppend(&text, "note: ", Printable(note), "\n");
  }
  return text;
}

absl::Status WriteProfileReport(const ProfileResult& result, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  HtmlReport report("pmdex profile", SourceInWords(result));
  report.Section("Machine and run").Facts(MachineFacts(result));
  if (result.pmu.cause != PmuCause::kNone) report.Warning(WhyNoPmu(result));
  for (const std::string& note : AllNotes(result)) report.Paragraph(note);
  report.Section("Where the time goes");
  for (const Comparison& comparison : Comparisons(result)) {
    report.Paragraph(comparison.words);
    if (!comparison.parts.rows.empty()) report.Table(comparison.parts);
  }
  PMDEX_RETURN_IF_ERROR(AddPlots(result, directory, report));
  const ReportTable inconsistent = InconsistentTable(result);
  if (!inconsistent.rows.empty()) {
    report.Warning("These values were computed but cannot be right; they are in no other table.");
    report.Table(inconsistent);
  }
  for (const ProfiledConfiguration& configuration : result.configurations) {
    AddConfigurationSection(result, configuration, report);
  }
  report.Section("All metrics").Table(MetricTable(result));
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, "report.html", report.Page()));
  return WriteReportFile(directory, "report.json", ProfileToJson(result) + "\n");
}

}  // namespace pmdex
