#include "tools/compare/compare_tables.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/compare_advice.h"
#include "tools/compare/counters/counter_totals.h"
#include "tools/printable.h"
#include "tools/profile/metric_text.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace {

std::string IfKnown(const std::optional<double>& value) {
  return value.has_value() ? ShortNumber(*value) : "";
}

// Configurations that differ only in mode, threads and node are of one index.
bool SameIndex(const ConfigurationKey& a, const ConfigurationKey& b) {
  return a.tier == b.tier && a.directory == b.directory && a.scale == b.scale;
}

// The first configuration of each index.
std::vector<const ComparedConfiguration*> OneOfEachIndex(const CompareResult& result) {
  std::vector<const ComparedConfiguration*> indexes;
  for (const ComparedConfiguration& one : result.configurations) {
    const bool listed = std::any_of(
        indexes.begin(), indexes.end(),
        [&](const ComparedConfiguration* other) { return SameIndex(other->key, one.key); });
    if (!listed) indexes.push_back(&one);
  }
  return indexes;
}

std::string WithInterval(const ComparedClass& one) {
  const std::string mean = ShortNumber(one.mean_us);
  return one.ci95_us.has_value() ? absl::StrCat(mean, " ± ", ShortNumber(*one.ci95_us)) : mean;
}

// Columns that no class has are left out.
void DropEmptyColumns(ReportTable& table) {
  for (size_t column = table.columns.size(); column-- > 0;) {
    const bool used = std::any_of(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return !row[column].empty(); });
    if (used) continue;
    if (column < table.key_columns) --table.key_columns;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

}  // namespace

std::string ShortNumber(double value) {
  if (value >= 1000 && value < 1e15) {
    return WithThousands(static_cast<uint64_t>(std::llround(value)));
  }
  return value >= 100 ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.3g", value);
}

std::vector<std::string> ModesOf(const CompareResult& result) {
  std::vector<std::string> modes;
  for (const ComparedConfiguration& one : result.configurations) {
    if (std::find(modes.begin(), modes.end(), one.key.mode) == modes.end()) {
      modes.push_back(one.key.mode);
    }
  }
  return modes;
}

std::vector<uint64_t> ScalesOf(const CompareResult& result) {
  std::vector<uint64_t> scales;
  for (const ComparedConfiguration& one : result.configurations) {
    if (std::find(scales.begin(), scales.end(), one.key.scale) == scales.end()) {
      scales.push_back(one.key.scale);
    }
  }
  return scales;
}

ReportTable IndexTable(const CompareResult& result) {
  ReportTable table = {"Indexes",
                       {{"tier"},
                        {"directory"},
                        {"scale", true},
                        {"documents", true},
                        {"postings", true},
                        {"segments", true},
                        {"size", true},
                        {"bytes a posting", true},
                        {"build s", true},
                        {"open ms", true}},
                       {},
                       /*key_columns=*/3};
  for (const ComparedConfiguration* one : OneOfEachIndex(result)) {
    table.rows.push_back({one->key.tier, one->key.directory, absl::StrCat(one->key.scale),
                          WithThousands(one->documents), WithThousands(one->postings),
                          WithThousands(one->segments), HumanBytes(one->bytes),
                          IfKnown(one->bytes_per_posting), IfKnown(one->build_s),
                          ShortNumber(one->open_ms)});
  }
  DropEmptyColumns(table);
  return table;
}

ReportTable IndexPartTable(const CompareResult& result) {
  constexpr const char* kParts[] = {"dictionary", "postings",    "positions", "bounds and lengths",
                                    "ids",        "stored text", "columns",   "other"};
  ReportTable table = {
      "What the indexes hold",
      {{"tier"}, {"directory"}, {"scale", true}, {"tokens", true}, {"terms", true}},
      {},
      /*key_columns=*/3};
  for (const char* part : kParts) table.columns.push_back({part, true});
  for (const ComparedConfiguration* one : OneOfEachIndex(result)) {
    if (one->part_bytes.empty()) continue;  // of a file that has no parts
    std::vector<std::string> row = {one->key.tier, one->key.directory, absl::StrCat(one->key.scale),
                                    WithThousands(one->tokens), WithThousands(one->terms)};
    for (const char* part : kParts) {
      const auto found = one->part_bytes.find(part);
      const bool has = found != one->part_bytes.end() && found->second > 0;
      row.push_back(has ? HumanBytes(found->second) : "");
    }
    table.rows.push_back(std::move(row));
  }
  DropEmptyColumns(table);
  return table;
}

ReportTable ClassTable(const ComparedConfiguration& configuration) {
  ReportTable table = {
      absl::StrCat("Times in microseconds: ", NameOfConfiguration(configuration.key)),
      {{"class"},
       {"queries", true},
       {"queries a second", true},
       {"mean ± 95 %", true},
       {"p50", true},
       {"p95", true},
       {"p99", true},
       {"max", true},
       {"cold mean", true},
       {"bytes touched", true},
       {"predicted mean", true},
       {"model error", true}},
      {}};
  for (const ComparedClass& one : configuration.classes) {
    table.rows.push_back(
        {one.name, WithThousands(one.queries), ShortNumber(one.qps), WithInterval(one),
         ShortNumber(one.p50_us), ShortNumber(one.p95_us), ShortNumber(one.p99_us),
         ShortNumber(one.max_us), IfKnown(one.cold_mean_us), IfKnown(one.bytes_touched),
         one.predicted.has_value()
             ? absl::StrCat(ShortNumber(one.predicted->mean_us), " (", one.predicted->model, ")")
             : "",
         one.predicted.has_value() ? absl::StrFormat("%.0f %%", 100 * one.predicted->error) : ""});
  }
  DropEmptyColumns(table);
  return table;
}

ReportTable TouchTable(const ComparedConfiguration& configuration) {
  ReportTable table = {absl::StrCat("Lines and units that a query touches: ",
                                    configuration.key.tier, " ", configuration.key.mode),
                       {{"class"},
                        {"section"},
                        {"random, 64 bytes", true},
                        {"sequential, 64 bytes", true},
                        {"random, 256 bytes", true},
                        {"sequential, 256 bytes", true}},
                       {},
                       /*key_columns=*/2};
  for (const ComparedClass& one : configuration.classes) {
    for (const SectionTouchCounts& counts : one.touches) {
      table.rows.push_back({one.name, counts.section, ShortNumber(counts.random_64),
                            ShortNumber(counts.sequential_64), ShortNumber(counts.random_256),
                            ShortNumber(counts.sequential_256)});
    }
  }
  return table;
}

ReportTable ModelTable(const ComparedConfiguration& configuration) {
  ReportTable table = {absl::StrCat("Planning model, microseconds a query, some queries of each "
                                    "class: ",
                                    NameOfConfiguration(configuration.key)),
                       {{"class"},
                        {"in the caches", true},
                        {"in DRAM only", true},
                        {"model error in DRAM", true},
                        {"predicted on the medium only", true},
                        {"x DRAM", true}},
                       {}};
  for (const ComparedClass& one : configuration.classes) {
    if (!one.model.has_value()) continue;
    const std::optional<double>& uncached = one.model->uncached_us;
    table.rows.push_back(
        {one.name, ShortNumber(one.model->hot_us), ShortNumber(one.model->dropped_us),
         absl::StrFormat("%.0f %%", 100 * one.model->error), IfKnown(uncached),
         uncached.has_value() ? absl::StrFormat("%.2f", *uncached / one.model->dropped_us) : ""});
  }
  return table;
}

ReportTable CounterTable(const ComparedConfiguration& configuration) {
  ReportTable table = {absl::StrCat("Counters: ", NameOfConfiguration(configuration.key)),
                       {{"class"}, {"queries", true}},
                       {}};
  for (const ColumnMetric& column : ColumnsOfGroups())
    table.columns.push_back({std::string(column.title), true});
  const auto add = [&](const std::string& name, uint64_t queries,
                       const std::vector<CounterValue>& counters) {
    std::vector<std::string> row = {name, WithThousands(queries)};
    for (const ColumnMetric& column : ColumnsOfGroups()) {
      const CounterValue* const found = FindCounter(counters, column.metric);
      row.push_back(found == nullptr ? "" : MetricText(found->value, found->unit));
    }
    table.rows.push_back(std::move(row));
  };
  uint64_t queries = 0;
  for (const ComparedClass& one : configuration.classes) {
    queries += one.queries;
    if (!one.counters.empty()) add(one.name, one.queries, one.counters);
  }
  if (table.rows.size() > 1) add("all", queries, CountersOfAll(configuration));
  DropEmptyColumns(table);
  return table;
}

ReportTable SkippedTable(const CompareResult& result) {
  ReportTable table = {"Not measured", {{"what"}, {"why"}}, {}};
  for (const SkippedPart& one : result.skipped) table.rows.push_back({one.what, one.why});
  return table;
}

}  // namespace pmdex
