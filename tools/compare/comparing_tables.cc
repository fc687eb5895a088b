#include "tools/compare/comparing_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/counters/counter_totals.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

using ClassNumber = std::function<double(const ComparedClass&)>;

double MeanOfClass(const ComparedClass& one) {
  return one.mean_us;
}

double MedianOfClass(const ComparedClass& one) {
  return one.p50_us;
}

struct NamedConfiguration {
  std::string name;
  const ComparedConfiguration* configuration;
};

// Those of the mode and the scale; those of other runs have the name of the run in front, and any
// scale where this run has one.
std::vector<NamedConfiguration> OfMode(const CompareResult& result, const std::string& mode,
                                       uint64_t scale) {
  const bool one_scale = ScalesOf(result).size() == 1;
  std::vector<NamedConfiguration> found;
  for (const ComparedConfiguration& one : result.configurations) {
    if (one.key.mode == mode && one.key.scale == scale)
      found.push_back({NameOfConfiguration(one.key), &one});
  }
  for (const auto& [run, configurations] : result.beside) {
    for (const ComparedConfiguration& one : configurations) {
      if (one.key.mode != mode || (one.key.scale != scale && !one_scale)) continue;
      found.push_back({absl::StrCat(run, ": ", NameOfConfiguration(one.key)), &one});
    }
  }
  return found;
}

std::vector<std::string> ClassNames(const std::vector<NamedConfiguration>& configurations) {
  std::vector<std::string> names;
  for (const NamedConfiguration& one : configurations) {
    for (const ComparedClass& of : one.configuration->classes) {
      if (std::find(names.begin(), names.end(), of.name) == names.end()) names.push_back(of.name);
    }
  }
  return names;
}

ReportTable NumberTable(const CompareResult& result, const std::string& mode, uint64_t scale,
                        const std::string& caption, const ClassNumber& number) {
  const std::vector<NamedConfiguration> configurations = OfMode(result, mode, scale);
  ReportTable table = {caption, {{"class"}}, {}};
  for (size_t i = 0; i < configurations.size(); ++i) {
    table.columns.push_back({configurations[i].name, true});
    if (i > 0) table.columns.push_back({"x first", true, true});
  }
  for (const std::string& name : ClassNames(configurations)) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(name);
    double first = NAN;
    for (size_t i = 0; i < configurations.size(); ++i) {
      const ComparedClass* of = FindClass(*configurations[i].configuration, name);
      const double value = of == nullptr ? NAN : number(*of);
      row.push_back(std::isfinite(value) ? ShortNumber(value) : "");
      if (i == 0) first = value;
      const double ratio = value / first;
      if (i > 0) row.push_back(std::isfinite(ratio) ? absl::StrFormat("%.2f", ratio) : "");
    }
  }
  return table;
}

// The configurations of an index of one place, by scale.
using GrowingIndex = std::vector<const ComparedConfiguration*>;

std::vector<GrowingIndex> GrowingIndexes(const CompareResult& result, const std::string& mode) {
  std::vector<GrowingIndex> indexes;
  for (const ComparedConfiguration& one : result.configurations) {
    if (one.key.mode != mode) continue;
    const auto same = std::find_if(indexes.begin(), indexes.end(), [&](const auto& others) {
      ConfigurationKey key = others[0]->key;
      key.scale = one.key.scale;
      return key == one.key;
    });
    if (same == indexes.end()) {
      indexes.push_back({&one});
    } else {
      same->push_back(&one);
    }
  }
  return indexes;
}

// what: "Mean time", say, which `number` gives.
ReportTable GrowthTable(const GrowingIndex& index, const std::string& what,
                        const ClassNumber& number) {
  ConfigurationKey key = index[0]->key;
  key.scale = 1;
  ReportTable table = {
      absl::StrCat(what, " in microseconds by scale and size: ", NameOfConfiguration(key)),
      {{"class"}},
      {}};
  for (const ComparedConfiguration* const one : index) {
    table.columns.push_back({absl::StrCat(one->key.scale, ": ", HumanBytes(one->bytes)), true});
  }
  table.columns.push_back({"last by first", true});
  for (const ComparedClass& of : index[0]->classes) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(of.name);
    double time_us = NAN;
    for (const ComparedConfiguration* const one : index) {
      const ComparedClass* const there = FindClass(*one, of.name);
      time_us = there == nullptr ? NAN : number(*there);
      row.push_back(there == nullptr ? "" : ShortNumber(time_us));
    }
    const double growth = time_us / number(of);
    row.push_back(std::isfinite(growth) ? absl::StrFormat("%.2f", growth) : "");
  }
  return table;
}

}  // namespace

ReportTable MeanTable(const CompareResult& result, const std::string& mode, uint64_t scale) {
  return NumberTable(result, mode, scale, absl::StrCat("Mean time in microseconds, ", mode),
                     MeanOfClass);
}

ReportTable MedianTable(const CompareResult& result, const std::string& mode, uint64_t scale) {
  return NumberTable(result, mode, scale, absl::StrCat("Median time in microseconds, ", mode),
                     MedianOfClass);
}

ReportTable P99Table(const CompareResult& result, const std::string& mode, uint64_t scale) {
  return NumberTable(result, mode, scale, absl::StrCat("99th percentile in microseconds, ", mode),
                     [](const ComparedClass& one) { return one.p99_us; });
}

std::vector<ReportTable> GrowthTables(const CompareResult& result, const std::string& mode) {
  std::vector<ReportTable> tables;
  if (ScalesOf(result).size() == 1) return tables;
  for (const GrowingIndex& index : GrowingIndexes(result, mode)) {
    tables.push_back(GrowthTable(index, "Mean time", MeanOfClass));
    tables.push_back(GrowthTable(index, "Median time", MedianOfClass));
  }
  return tables;
}

std::vector<ReportTable> ComparingTables(const CompareResult& result, const std::string& mode) {
  std::vector<ReportTable> tables = GrowthTables(result, mode);
  const std::vector<uint64_t> scales = ScalesOf(result);
  for (const uint64_t scale : scales) {
    for (ReportTable table : {MeanTable(result, mode, scale), MedianTable(result, mode, scale),
                              P99Table(result, mode, scale)}) {
      if (scales.size() > 1) absl::StrAppend(&table.caption, ", scale ", scale);
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::string CompareToText(const CompareResult& result) {
  std::string text;
  for (const auto& [name, value] : result.machine) {
    absl::StrAppend(&text, Printable(name), ": ", Printable(value), "\n");
  }
  for (const std::string& note : result.notes) {
    absl::StrAppend(&text, "note: ", Printable(note), "\n");
  }
  absl::StrAppend(&text, "\n", TableToText(IndexTable(result)));
  if (const ReportTable parts = IndexPartTable(result); !parts.rows.empty()) {
    absl::StrAppend(&text, "\n", TableToText(parts));
  }
  for (const ComparedConfiguration& one : result.configurations) {
    absl::StrAppend(&text, "\n", TableToText(ClassTable(one)));
    for (const ReportTable& table : {CounterTable(one), ModelTable(one)}) {
      if (!table.rows.empty()) absl::StrAppend(&text, "\n", TableToText(table));
    }
    for (const std::string& note : one.notes) {
      absl::StrAppend(&text, "note: ", Printable(note), "\n");
    }
  }
  for (const std::string& mode : ModesOf(result)) {
    for (const ReportTable& table : ComparingTables(result, mode)) {
      absl::StrAppend(&text, "\n", TableToText(table));
    }
  }
  const ReportTable differences = CounterDifferences(result);
  if (!differences.rows.empty()) absl::StrAppend(&text, "\n", TableToText(differences));
  if (!result.skipped.empty()) absl::StrAppend(&text, "\n", TableToText(SkippedTable(result)));
  const CompareAdvice advice = AdviseOn(result);
  absl::StrAppend(&text, "\nanswers agree: ", result.difference.has_value() ? "no" : "yes", "\n");
  if (!advice.configuration.empty()) {
    absl::StrAppend(&text, "advised: ", Printable(advice.configuration), "\n");
  }
  return absl::StrCat(text, advice.why, "\nRule: ", std::string(kAdviceRule), "\n");
}

}  // namespace pmdex
