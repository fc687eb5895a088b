#include "tools/profile/profile_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include "tools/command.h"
#include "tools/profile/metric_text.h"
#include "tools/utf8.h"

namespace pmdex {
namespace {

// The columns of tables of groups; those that no group has are left out.
constexpr std::array kGroupColumns = {
    ColumnMetric{"time_us", "us"},
    ColumnMetric{"task_clock_us", "CPU us"},
    ColumnMetric{"instructions_per_query", "instructions"},
    ColumnMetric{"data_reads_per_query", "loads"},
    ColumnMetric{"d1_read_misses_per_query", "L1 load misses"},
    ColumnMetric{"ll_read_misses_per_query", "LLC load misses"},
    ColumnMetric{"ipc", "IPC"},
    ColumnMetric{"retiring", "retiring"},
    ColumnMetric{"bad_speculation", "bad spec."},
    ColumnMetric{"frontend_bound", "frontend"},
    ColumnMetric{"backend_bound", "backend"},
    ColumnMetric{"light_operations", "light ops"},
    ColumnMetric{"heavy_operations", "heavy ops"},
    ColumnMetric{"retiring_fastpath", "fastpath"},
    ColumnMetric{"retiring_microcode", "microcode"},
    ColumnMetric{"branch_mispredicts", "mispredicts"},
    ColumnMetric{"machine_clears", "clears"},
    ColumnMetric{"pipeline_restarts", "restarts"},
    ColumnMetric{"frontend_latency", "frontend latency"},
    ColumnMetric{"frontend_bandwidth", "frontend bandwidth"},
    ColumnMetric{"core_bound", "core"},
    ColumnMetric{"memory_bound", "memory"},
    ColumnMetric{"l1_bound", "L1"},
    ColumnMetric{"l2_bound", "L2"},
    ColumnMetric{"l3_bound", "L3"},
    ColumnMetric{"dram_bound", "DRAM"},
    ColumnMetric{"pm_bound", "PM"},
    ColumnMetric{"store_bound", "stores"},
    ColumnMetric{"external_memory_bound", "ext. memory"},
    ColumnMetric{"llc_misses_per_1000", "LLC misses per 1,000"},
    ColumnMetric{"branch_misses_per_1000", "branch misses per 1,000"},
    ColumnMetric{"page_faults_per_query", "page faults"}};

// Columns behind the metrics; none if nothing was read.
void AddReadColumns(const std::vector<QueryGroup>& groups, ReportTable& table) {
  if (std::none_of(groups.begin(), groups.end(),
                   [](const QueryGroup& group) { return group.reads.has_value(); })) {
    return;
  }
  table.columns.push_back({"runs between reads", true});
  table.columns.push_back({"time of reads, share", true});
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::optional<CounterReads>& reads = groups[i].reads;
    table.rows[i].push_back(reads.has_value() ? RangeText(reads->fewest_runs, reads->most_runs + 1)
                                              : "");
    table.rows[i].push_back(reads.has_value() ? MetricText(reads->share, "share") : "");
  }
}

// Below all values if it was not measured.
double ValueOrLeast(const MetricSet& metrics, std::string_view name) {
  const MetricValue* value = metrics.Find(name);
  return value == nullptr ? -1 : value->value;
}

// The first 80 bytes, cut between characters, and "..." if there was more.
std::string CutText(const std::string& text) {
  constexpr size_t kMostBytes = 80;
  size_t size = 0;
  while (size < text.size()) {
    const size_t next = size + ScanUtf8(std::string_view(text).substr(size)).size_bytes;
    if (next > kMostBytes) return text.substr(0, size) + "...";
    size = next;
  }
  return text;
}

// The last part of the path, or the whole path if two indexes end alike.
std::string ShortIndexName(const ProfileResult& result, const std::string& path) {
  const auto last = [](std::string name) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    return name.substr(name.rfind('/') + 1);
  };
  for (const ProfiledConfiguration& other : result.configurations) {
    if (other.index != path && last(other.index) == last(path)) return path;
  }
  return last(path);
}

}  // namespace

std::string NameOfConfiguration(const ProfileResult& result,
                                const ProfiledConfiguration& configuration) {
  const auto differs = [&](const auto& part) {
    return std::any_of(
        result.configurations.begin(), result.configurations.end(),
        [&](const ProfiledConfiguration& other) { return part(other) != part(configuration); });
  };
  const auto index = [](const ProfiledConfiguration& some) { return some.index; };
  const auto mode = [](const ProfiledConfiguration& some) { return some.mode; };
  const auto threads = [](const ProfiledConfiguration& some) { return some.threads; };
  const std::string threads_text =
      absl::StrCat(configuration.threads, configuration.threads == 1 ? " thread" : " threads");
  std::vector<std::string> parts;
  if (differs(index)) parts.push_back(ShortIndexName(result, configuration.index));
  if (differs(mode)) parts.push_back(configuration.mode);
  if (differs(threads)) parts.push_back(threads_text);
  if (parts.empty()) parts = {configuration.mode, threads_text};
  return absl::StrJoin(parts, ", ");
}

ReportTable MetricTable(const ProfileResult& result) {
  ReportTable table;
  table.columns.push_back({"metric"});
  for (const ProfiledConfiguration& configuration : result.configurations) {
    table.columns.push_back({NameOfConfiguration(result, configuration), true});
  }
  table.columns.push_back({"unit"});
  table.columns.push_back({"formula"});
  table.columns.push_back({"source"});
  for (const MetricRow& row : result.table->metrics) {
    std::vector<std::string> cells = {std::string(row.name)};
    bool measured = false;
    for (const ProfiledConfiguration& configuration : result.configurations) {
      const MetricValue* value = configuration.metrics.Find(row.name);
      cells.push_back(value == nullptr ? "" : MetricText(value->value, row.unit));
      measured = measured || value != nullptr;
    }
    if (!measured) continue;
    for (const std::string_view text : {row.unit, row.formula, row.source}) {
      cells.emplace_back(text);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string LabelOf(const QueryGroup& group) {
  return group.name.empty() ? RangeText(group.range.from, group.range.to) : group.name;
}

std::span<const ColumnMetric> ColumnsOfGroups() {
  return kGroupColumns;
}

std::vector<ColumnMetric> ColumnsOf(std::span<const MetricSet* const> sets) {
  std::vector<ColumnMetric> columns;
  for (const ColumnMetric& column : kGroupColumns) {
    for (const MetricSet* const metrics : sets) {
      const MetricValue* const value = metrics->Find(column.metric);
      if (value == nullptr) continue;
      columns.push_back(
          {column.metric, value->row->title.empty() ? column.title : value->row->title});
      break;
    }
  }
  return columns;
}

std::vector<std::string> CellsOf(std::span<const ColumnMetric> columns, const MetricSet& metrics) {
  std::vector<std::string> cells;
  for (const ColumnMetric& column : columns) {
    const MetricValue* const value = metrics.Find(column.metric);
    cells.push_back(value == nullptr ? "" : MetricText(value->value, value->row->unit));
  }
  return cells;
}

ReportTable GroupTable(const std::string& caption, const std::string& first_column,
                       const std::vector<QueryGroup>& groups) {
  ReportTable table;
  table.caption = caption;
  table.columns = {{first_column}, {"queries", true}};
  std::vector<const MetricSet*> sets;
  for (const QueryGroup& group : groups) sets.push_back(&group.metrics);
  const std::vector<ColumnMetric> columns = ColumnsOf(sets);
  for (const ColumnMetric& column : columns) {
    table.columns.push_back({std::string(column.title), true});
  }
  for (const QueryGroup& group : groups) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {LabelOf(group), WithThousands(group.queries)};
    for (std::string& cell : CellsOf(columns, group.metrics)) row.push_back(std::move(cell));
  }
  AddReadColumns(groups, table);
  return table;
}

ReportTable QueryTable(const ProfiledConfiguration& configuration, size_t most) {
  std::vector<QueryGroup> queries = configuration.each_query;
  const bool has_times = std::any_of(queries.begin(), queries.end(), [](const QueryGroup& query) {
    return query.metrics.Find("time_us") != nullptr;
  });
  const char* const metric = has_times ? "time_us" : "instructions_per_query";
  std::stable_sort(queries.begin(), queries.end(),
                   [metric](const QueryGroup& a, const QueryGroup& b) {
                     return ValueOrLeast(a.metrics, metric) > ValueOrLeast(b.metrics, metric);
                   });
  if (queries.size() > most) queries.resize(most);
  for (QueryGroup& query : queries) query.name = CutText(query.name);
  ReportTable table = GroupTable(
      has_times ? absl::StrCat("The ", queries.size(), " slowest queries, by their time")
                : absl::StrCat("The ", queries.size(), " queries with the most instructions"),
      "query", queries);
  table.columns.erase(table.columns.begin() + 1);  // each is one query
  for (auto& row : table.rows) row.erase(row.begin() + 1);
  return table;
}

ReportTable PhasesByClassTable(const ProfiledConfiguration& configuration) {
  ReportTable table = {"Phases of each class, shares", {{"class"}}, {}};
  for (const PhaseShare& phase : configuration.phases) table.columns.push_back({phase.name, true});
  for (const QueryGroup& group : configuration.classes) {
    if (group.phases.empty()) continue;
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(group.name);
    for (const PhaseShare& phase : configuration.phases) {
      const auto found =
          std::find_if(group.phases.begin(), group.phases.end(),
                       [&](const PhaseShare& own) { return own.name == phase.name; });
      row.push_back(found == group.phases.end() ? "" : MetricText(found->share, "share"));
    }
  }
  return table;
}

ReportTable PhaseTable(const ProfiledConfiguration& configuration, bool simulated) {
  ReportTable table;
  table.columns = {{"phase"}, {simulated ? "instructions" : "samples", true}, {"share", true}};
  for (const PhaseShare& phase : configuration.phases) {
    table.rows.push_back(
        {phase.name, WithThousands(phase.samples), MetricText(phase.share, "share")});
  }
  return table;
}

ReportTable TouchedTable(const ProfiledConfiguration& configuration) {
  ReportTable table = {
      absl::StrCat("Bytes of the index that a query touches, by section: from ",
                   configuration.touched_queries,
                   configuration.touched_queries == 1 ? " query" : " queries",
                   ", weighted by the queries of their classes"),
      {{"section"}, {"bytes", true}, {"random lines", true}, {"sequential lines", true}},
      {}};
  for (const TouchedSection& one : configuration.touched) {
    table.rows.push_back({one.section, WithThousands(std::llround(one.bytes())),
                          absl::StrFormat("%.1f", one.random_lines),
                          absl::StrFormat("%.1f", one.sequential_lines)});
  }
  return table;
}

ReportTable TouchedByClassTable(const ProfiledConfiguration& configuration) {
  ReportTable table = {
      "Bytes that a query of each class touches, by section", {{"class"}, {"recorded", true}}, {}};
  for (const TouchedSection& all : configuration.touched) {
    table.columns.push_back({all.section, true});
  }
  table.columns.push_back({"all", true});
  for (const QueryGroup& group : configuration.classes) {
    if (group.touched.empty()) continue;
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {group.name, absl::StrCat(group.touched_queries)};
    double sum = 0;
    for (const TouchedSection& all : configuration.touched) {
      const auto found =
          std::find_if(group.touched.begin(), group.touched.end(),
                       [&](const TouchedSection& own) { return own.section == all.section; });
      const double bytes = found == group.touched.end() ? 0 : found->bytes();
      row.push_back(WithThousands(std::llround(bytes)));
      sum += bytes;
    }
    row.push_back(WithThousands(std::llround(sum)));
  }
  return table;
}

ReportTable InconsistentOf(const std::string& first_column,
                           const std::vector<std::pair<std::string, const MetricSet*>>& parts) {
  ReportTable table;
  table.columns = {
      {first_column}, {"metric"}, {"computed", true}, {"unit"}, {"why it cannot be right"}};
  for (const auto& [name, metrics] : parts) {
    for (const InconsistentMetric& metric : metrics->inconsistent) {
      table.rows.push_back(
          {name, metric.name, MetricText(metric.value, metric.unit), metric.unit, metric.why});
    }
  }
  return table;
}

ReportTable InconsistentTable(const ProfileResult& result) {
  std::vector<std::pair<std::string, const MetricSet*>> parts;
  for (const ProfiledConfiguration& configuration : result.configurations) {
    const std::string name = NameOfConfiguration(result, configuration);
    parts.emplace_back(name, &configuration.metrics);
    for (const auto* groups :
         {&configuration.classes, &configuration.plans, &configuration.buckets}) {
      for (const QueryGroup& group : *groups) {
        parts.emplace_back(absl::StrCat(name, ", ", LabelOf(group)), &group.metrics);
      }
    }
  }
  return InconsistentOf("configuration", parts);
}

}  // namespace pmdex
