#include "tools/compare/compare_report.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_plots.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/comparing_tables.h"
#include "tools/compare/counters/counter_plots.h"
#include "tools/compare/counters/counter_totals.h"
#include "tools/report/html_report.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

void AddSummary(const CompareResult& result, HtmlReport& report) {
  report.Section("Summary");
  const CompareAdvice advice = AdviseOn(result);
  if (result.difference.has_value()) {
    report.Warning(absl::StrCat("Answers differ (", result.difference->what, "): the query \"",
                                result.difference->query, "\" of ", result.difference->set, " in ",
                                result.difference->one, " and ", result.difference->other, "."));
  } else {
    report.Paragraph("All configurations answer all queries alike.");
  }
  if (!advice.configuration.empty()) {
    report.Paragraph(absl::StrCat("Advised: ", advice.configuration, ". ", advice.why));
  } else {
    report.Paragraph(advice.why);
  }
  report.Paragraph(absl::StrCat("Rule: ", std::string(kAdviceRule)));
  for (const std::string& note : result.notes) report.Paragraph(note);
  if (!result.skipped.empty()) report.Table(SkippedTable(result));
}

absl::Status AddPlots(const CompareResult& result, const std::string& directory,
                      HtmlReport& report) {
  report.Section("Plots").Paragraph(
      "Error bars are 95 % confidence intervals of the mean. Axes of times are logarithmic.");
  if (ScalesOf(result).size() > 1) {
    report.Paragraph(
        "Plots of classes and of postings are of the largest scale. At scale 1 the uncompressed "
        "index is a quarter of the last-level cache.");
  }
  for (const Plot& plot : PlotsOf(result)) {
    PMDEX_ASSIGN_OR_RETURN(const DrawnPlot drawn, DrawPlot(plot, directory));
    report.Plot(drawn);
  }
  return absl::OkStatus();
}

// Nothing without counters.
absl::Status AddCounters(const CompareResult& result, const std::string& directory,
                         HtmlReport& report) {
  std::vector<ReportTable> tables;
  for (const ComparedConfiguration& one : result.configurations) {
    ReportTable table = CounterTable(one);
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  if (tables.empty()) return absl::OkStatus();
  report.Section("Where the cycles go");
  const ReportTable differences = CounterDifferences(result);
  if (!differences.rows.empty()) report.Table(differences);
  for (const Plot& plot : CounterPlots(result)) {
    PMDEX_ASSIGN_OR_RETURN(const DrawnPlot drawn, DrawPlot(plot, directory));
    report.Plot(drawn);
  }
  for (const ReportTable& table : tables) report.Table(table);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteComparison(const CompareResult& result, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, "report.json", CompareToJson(result) + "\n"));
  HtmlReport report("pmdex compare", "Tiers, directories and modes on the same queries");
  AddSummary(result, report);
  report.Section("Machine and indexes").Facts(result.machine).Table(IndexTable(result));
  if (const ReportTable parts = IndexPartTable(result); !parts.rows.empty()) report.Table(parts);
  PMDEX_RETURN_IF_ERROR(AddPlots(result, directory, report));
  PMDEX_RETURN_IF_ERROR(AddCounters(result, directory, report));
  for (const std::string& mode : ModesOf(result)) {
    report.Section(absl::StrCat("Configurations, ", mode))
        .Paragraph("\"x first\" is the value by that of the first configuration of the table.");
    for (const ReportTable& table : ComparingTables(result, mode)) report.Table(table);
  }
  report.Section("All numbers");
  for (const ComparedConfiguration& one : result.configurations) {
    report.Table(ClassTable(one));
    for (const ReportTable& table : {ModelTable(one), TouchTable(one)}) {
      if (!table.rows.empty()) report.Table(table);
    }
    for (const std::string& note : one.notes) report.Paragraph(absl::StrCat("Note: ", note));
  }
  return WriteReportFile(directory, "report.html", report.Page());
}

}  // namespace pmdex
