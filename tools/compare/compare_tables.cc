#include "tools/compare/compare_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/compare_advice.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

using ClassNumber = std::function<double(const ComparedClass&)>;

std::string IfKnown(const std::optional<double>& value) {
  return value.has_value() ? ShortNumber(*value) : "";
}

// Configurations that differ only in mode, threads and node are of one index.
bool SameIndex(const ConfigurationKey& a, const ConfigurationKey& b) {
  return a.tier == b.tier && a.directory == b.directory && a.scale == b.scale;
}

struct NamedConfiguration {
  std::string name;
  const ComparedConfiguration* configuration;
};

// Those of the mode; those of other runs have the name of the run in front.
std::vector<NamedConfiguration> OfMode(const CompareResult& result, const std::string& mode) {
  std::vector<NamedConfiguration> found;
  for (const ComparedConfiguration& one : result.configurations) {
    if (one.key.mode == mode) found.push_back({NameOfConfiguration(one.key), &one});
  }
  for (const auto& [run, configurations] : result.beside) {
    for (const ComparedConfiguration& one : configurations) {
      if (one.key.mode != mode) continue;
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

ReportTable NumberTable(const CompareResult& result, const std::string& mode,
                        const std::string& caption, const ClassNumber& number) {
  const std::vector<NamedConfiguration> configurations = OfMode(result, mode);
  ReportTable table = {caption, {{"class"}}, {}};
  for (size_t i = 0; i < configurations.size(); ++i) {
    table.columns.push_back({configurations[i].name, true});
    if (i > 0) table.columns.push_back({"x first", true});
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
                       {}};
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const ComparedConfiguration& one = result.configurations[i];
    const auto end = result.configurations.begin() + static_cast<std::ptrdiff_t>(i);
    const bool listed = std::any_of(
        result.configurations.begin(), end,
        [&](const ComparedConfiguration& other) { return SameIndex(other.key, one.key); });
    if (listed) continue;
    table.rows.push_back(
        {one.key.tier, one.key.directory, absl::StrCat(one.key.scale), WithThousands(one.documents),
         WithThousands(one.postings), WithThousands(one.segments), HumanBytes(one.bytes),
         IfKnown(one.bytes_per_posting), IfKnown(one.build_s), ShortNumber(one.open_ms)});
  }
  DropEmptyColumns(table);
  return table;
}

ReportTable ClassTable(const ComparedConfiguration& configuration) {
  ReportTable table = {
      absl::StrCat("Times in microseconds: ", NameOfConfiguration(configuration.key)),
      {{"class"},
       {"queries", true},
       {"queries/s", true},
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

ReportTable MeanTable(const CompareResult& result, const std::string& mode) {
  return NumberTable(result, mode, absl::StrCat("Mean time in microseconds, ", mode),
                     [](const ComparedClass& one) { return one.mean_us; });
}

ReportTable P99Table(const CompareResult& result, const std::string& mode) {
  return NumberTable(result, mode, absl::StrCat("99th percentile in microseconds, ", mode),
                     [](const ComparedClass& one) { return one.p99_us; });
}

ReportTable SkippedTable(const CompareResult& result) {
  ReportTable table = {"Not measured", {{"what"}, {"why"}}, {}};
  for (const SkippedPart& one : result.skipped) table.rows.push_back({one.what, one.why});
  return table;
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
  for (const ComparedConfiguration& one : result.configurations) {
    absl::StrAppend(&text, "\n", TableToText(ClassTable(one)));
    for (const std::string& note : one.notes) {
      absl::StrAppend(&text, "note: ", Printable(note), "\n");
    }
  }
  for (const std::string& mode : ModesOf(result)) {
    absl::StrAppend(&text, "\n", TableToText(MeanTable(result, mode)));
    absl::StrAppend(&text, "\n", TableToText(P99Table(result, mode)));
  }
  if (!result.skipped.empty()) absl::StrAppend(&text, "\n", TableToText(SkippedTable(result)));
  const CompareAdvice advice = AdviseOn(result);
  absl::StrAppend(&text, "\nanswers agree: ", result.difference.has_value() ? "no" : "yes", "\n");
  if (!advice.configuration.empty()) {
    absl::StrAppend(&text, "advised: ", Printable(advice.configuration), "\n");
  }
  return absl::StrCat(text, advice.why, "\nRule: ", std::string(kAdviceRule), "\n");
}

}  // namespace pmdex
