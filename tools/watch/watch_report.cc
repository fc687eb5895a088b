#include "tools/watch/watch_report.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/problem_kind.h"
#include "tools/command.h"
#include "tools/json_writer.h"

namespace pmdex {
namespace {

double Milliseconds(std::chrono::microseconds duration) {
  return static_cast<double>(duration.count()) / 1000;
}

}  // namespace

std::string WatchReportJson(const WatchReport& report, bool once) {
  uint64_t skipped = 0;
  for (const auto& [kind, summary] : report.problems) {
    if (IsSkipped(kind)) skipped += summary.count;
  }
  JsonWriter json;
  json.BeginObject();
  json.Key("added").Uint(report.applied.added);
  json.Key("updated").Uint(report.applied.updated);
  json.Key("renamed").Uint(report.applied.renamed);
  json.Key("removed").Uint(report.applied.removed);
  json.Key("unchanged").Uint(report.unchanged);
  json.Key("skipped").Uint(skipped);
  json.Key("bytes_in").Uint(report.applied.bytes_in);
  json.Key("generations").Uint(report.applied.generations);
  if (!once) {
    json.Key("source").String(report.source);
    json.Key("overflows").Uint(report.overflows);
    json.Key("lag").BeginObject();
    json.Key("changes").Uint(report.lag.count());
    json.Key("p50_ms").Double(Milliseconds(report.lag.Quantile(0.5)));
    json.Key("p99_ms").Double(Milliseconds(report.lag.Quantile(0.99)));
    json.Key("max_ms").Double(Milliseconds(report.lag.max()));
    json.EndObject();
  }
  json.Key("seconds").Double(report.seconds);
  json.EndObject();
  return json.result() + "\n";
}

std::string WatchReportText(const WatchReport& report) {
  const AppliedChanges& applied = report.applied;
  std::string text = absl::StrCat(
      WithThousands(applied.added), " added, ", WithThousands(applied.updated), " updated, ",
      WithThousands(applied.renamed), " renamed, ", WithThousands(applied.removed), " removed");
  if (report.lag.count() == 0) return text;
  absl::StrAppendFormat(&text, "; lag p50 %.1f ms, p99 %.1f ms, max %.1f ms",
                        Milliseconds(report.lag.Quantile(0.5)),
                        Milliseconds(report.lag.Quantile(0.99)), Milliseconds(report.lag.max()));
  return text;
}

}  // namespace pmdex
