#include "tools/load/load_report.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/json_writer.h"
#include "tools/report/drawn_plot.h"
#include "tools/report/html_report.h"
#include "tools/report/report_files.h"
#include "tools/report/report_table.h"

namespace pmdex {
namespace {

bool IsOpenLoop(const LoadResult& step) {
  return step.plan.rate > 0;
}

double PerSecond(const LoadResult& step) {
  return step.seconds > 0 ? static_cast<double>(step.ok) / step.seconds : 0;
}

std::string NameOfStep(const LoadResult& step) {
  return IsOpenLoop(step) ? absl::StrFormat("%.0f/s", step.plan.rate)
                          : absl::StrCat(step.plan.connections, " clients");
}

void WriteLatencies(std::string_view key, const LoadLatencies& latencies, JsonWriter& json) {
  json.Key(key).BeginObject();
  json.Key("mean_us").Double(latencies.mean_us);
  json.Key("p50_us").Double(latencies.p50_us);
  json.Key("p90_us").Double(latencies.p90_us);
  json.Key("p99_us").Double(latencies.p99_us);
  json.Key("p99_9_us").Double(latencies.p999_us);
  json.Key("max_us").Double(latencies.max_us);
  json.EndObject();
}

// Latencies are absent where no request of their kind was answered.
void WriteStep(const LoadResult& step, JsonWriter& json) {
  json.BeginObject();
  if (IsOpenLoop(step)) {
    json.Key("rate").Double(step.plan.rate);
    json.Key("connections").Uint(step.plan.connections);
  } else {
    json.Key("clients").Uint(step.plan.connections);
    json.Key("queries_per_minute").Double(PerSecond(step) * 60);
  }
  json.Key("seconds").Double(step.seconds);
  json.Key("requests").Uint(step.due);
  json.Key("ok").Uint(step.ok);
  json.Key("shed").Uint(step.shed);
  json.Key("errors").Uint(step.errors);
  json.Key("resent").Uint(step.resent);
  json.Key("ok_per_second").Double(PerSecond(step));
  if (step.ok > 0) WriteLatencies("latency", step.latencies, json);
  if (step.shed > 0) WriteLatencies("shed_latency", step.shed_latencies, json);
  json.EndObject();
}

ReportTable TableOfSteps(const LoadReport& report) {
  ReportTable table;
  for (const char* name : {"load", "ok a second", "ok", "shed", "errors", "mean us", "p50 us",
                           "p90 us", "p99 us", "p99.9 us", "max us"}) {
    table.columns.push_back({name, !table.columns.empty()});
  }
  for (const LoadResult& step : report.steps) {
    std::vector<std::string> row = {NameOfStep(step), absl::StrFormat("%.0f", PerSecond(step)),
                                    absl::StrCat(step.ok), absl::StrCat(step.shed),
                                    absl::StrCat(step.errors)};
    const LoadLatencies& latencies = step.latencies;
    for (const double us : {latencies.mean_us, latencies.p50_us, latencies.p90_us, latencies.p99_us,
                            latencies.p999_us, latencies.max_us}) {
      row.push_back(step.ok == 0 ? std::string() : absl::StrFormat("%.0f", us));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A line for each percentile of the steps of one kind, over what `x` makes of a step.
LinePlot PercentilePlot(const LoadReport& report, bool open_loop, const std::string& name,
                        const std::string& title, const std::string& x_label) {
  LinePlot plot;
  plot.name = name;
  plot.title = title;
  plot.x_label = x_label;
  plot.y_label = "microseconds";
  plot.log_x = plot.log_y = true;
  constexpr std::pair<const char*, double LoadLatencies::*> kLines[] = {
      {"p50", &LoadLatencies::p50_us},
      {"p99", &LoadLatencies::p99_us},
      {"p99.9", &LoadLatencies::p999_us},
      {"max", &LoadLatencies::max_us}};
  for (const auto& [line, member] : kLines) {
    LineSeries series;
    series.name = line;
    for (const LoadResult& step : report.steps) {
      if (IsOpenLoop(step) != open_loop || step.ok == 0) continue;
      const double x = open_loop ? step.plan.rate : static_cast<double>(step.plan.connections);
      series.points.push_back({x, step.latencies.*member, 0});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

LinePlot ThroughputPlot(const LoadReport& report) {
  LinePlot plot;
  plot.name = "answers-by-clients";
  plot.title = "Answers a minute, closed loop";
  plot.x_label = "clients";
  plot.y_label = "answers a minute";
  plot.log_x = true;
  LineSeries series;
  series.name = "ok";
  for (const LoadResult& step : report.steps) {
    if (IsOpenLoop(step)) continue;
    series.points.push_back({static_cast<double>(step.plan.connections), PerSecond(step) * 60, 0});
  }
  plot.series.push_back(std::move(series));
  return plot;
}

}  // namespace

std::string LoadReportToJson(const LoadReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Key("url").String(report.url);
  json.Key("requests").String(report.requests_file);
  json.Key("steps").BeginArray();
  for (const LoadResult& step : report.steps) WriteStep(step, json);
  json.EndArray().EndObject();
  return json.result();
}

std::string LoadTableHead() {
  return absl::StrFormat("%-14s %9s %9s %7s %7s %9s %9s %9s %9s %9s\n", "load", "ok/s", "ok",
                         "shed", "errors", "mean us", "p50 us", "p99 us", "p99.9 us", "max us");
}

std::string LoadTableLine(const LoadResult& step) {
  const LoadLatencies& latencies = step.latencies;
  std::string line = absl::StrFormat("%-14s %9.0f %9d %7d %7d", NameOfStep(step), PerSecond(step),
                                     step.ok, step.shed, step.errors);
  for (const double us : {latencies.mean_us, latencies.p50_us, latencies.p99_us, latencies.p999_us,
                          latencies.max_us}) {
    absl::StrAppend(&line,
                    step.ok == 0 ? absl::StrFormat(" %9s", "-") : absl::StrFormat(" %9.0f", us));
  }
  return line + "\n";
}

std::vector<Plot> LoadPlots(const LoadReport& report) {
  std::vector<Plot> plots = {
      PercentilePlot(report, true, "latency-by-rate", "Latency at a given rate, open loop",
                     "requests a second"),
      PercentilePlot(report, false, "latency-by-clients", "Latency, closed loop", "clients"),
      ThroughputPlot(report)};
  std::erase_if(plots, [](const Plot& plot) { return !HasValues(plot); });
  return plots;
}

absl::Status WriteLoadReport(const LoadReport& report, const std::string& directory) {
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(directory));
  PMDEX_RETURN_IF_ERROR(
      WriteReportFile(directory, "bench-server.json", LoadReportToJson(report) + "\n"));
  HtmlReport page("pmdex bench-server", report.url);
  page.Section("Steps").Facts({{"server", report.url}, {"requests", report.requests_file}});
  page.Table(TableOfSteps(report));
  for (const Plot& plot : LoadPlots(report)) {
    PMDEX_ASSIGN_OR_RETURN(const DrawnPlot drawn, DrawPlot(plot, directory));
    page.Section(TitleOf(plot)).Plot(drawn);
  }
  return WriteReportFile(directory, "bench-server.html", page.Page());
}

}  // namespace pmdex
