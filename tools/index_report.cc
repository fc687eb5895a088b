#include "tools/index_report.h"

#include <cstdio>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/tuning/tuner.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/output.h"
#include "tools/printable.h"
#include "tools/profile/build_profile_report.h"

namespace pmdex {
namespace {

double MibPerSecond(const IngestReport& report) {
  return report.seconds > 0 ? static_cast<double>(report.bytes_in) / (1 << 20) / report.seconds : 0;
}

void WriteProblems(const IngestReport& report, JsonWriter& json) {
  json.Key("problems").BeginArray();
  for (const auto& [kind, problem] : report.problems) {
    json.BeginObject();
    json.Key("kind").String(ToString(kind));
    json.Key("count").Uint(problem.count);
    json.Key("skipped").Bool(IsSkipped(kind));
    json.Key("first").BeginArray();
    for (const std::string& place : problem.first_places) json.Name(place);
    json.EndArray().EndObject();
  }
  json.EndArray();
}

// Writes nothing unless the threads were grouped by NUMA nodes.
void WriteNuma(const NodeGroups::Report& numa, JsonWriter& json) {
  if (numa.nodes.empty()) return;
  json.Key("numa").BeginObject();
  json.Key("nodes").BeginArray();
  for (const int node : numa.nodes) json.Uint(static_cast<uint64_t>(node));
  json.EndArray();
  json.Key("local_pages").Uint(numa.local_pages);
  json.Key("remote_pages").Uint(numa.remote_pages);
  json.EndObject();
}

void WriteTuning(const std::map<std::string, std::string>& properties, JsonWriter& json) {
  for (const char* key : {kTuningProperty, kTuningEvidenceProperty}) {
    const auto property = properties.find(key);
    if (property != properties.end()) json.Key(key).String(property->second);
  }
}

void WriteStage(std::string_view name, const StageReport& stage, std::string_view items,
                JsonWriter& json) {
  json.Key(name).BeginObject();
  json.Key("threads").Uint(static_cast<uint64_t>(stage.threads));
  json.Key(items).Uint(stage.items);
  if (stage.bytes > 0) {
    json.Key("bytes").Uint(stage.bytes);
    json.Key("mib_per_second").Double(stage.mib_per_second());
  }
  json.Key("busy_s").Double(stage.busy_seconds());
  if (stage.cpu_seconds > 0) json.Key("cpu_s").Double(stage.cpu_seconds);
  json.Key("waited_for_input_s").Double(stage.input_wait_seconds);
  json.Key("waited_for_output_s").Double(stage.output_wait_seconds);
  json.EndObject();
}

void WriteQueue(std::string_view name, const QueueReport& queue, JsonWriter& json) {
  json.Key(name).BeginObject();
  json.Key("capacity").Uint(queue.capacity);
  json.Key("mean_depth").Double(queue.mean_depth);
  json.Key("max_depth").Uint(queue.max_depth);
  json.EndObject();
}

void WriteStages(const PipelineReport& report, JsonWriter& json) {
  json.Key("stages").BeginObject();
  WriteStage("walk", report.walk, "files", json);
  WriteStage("read", report.read, "blocks", json);
  WriteStage("index", report.index, "documents", json);
  WriteStage("write", report.write, "segments", json);
  WriteStage("publish", report.publish, "manifests", json);
  json.EndObject();
  json.Key("queues").BeginObject();
  WriteQueue("files", report.files, json);
  WriteQueue("blocks", report.blocks, json);
  WriteQueue("memtables", report.memtables, json);
  json.EndObject();
  json.Key("bottleneck").String(DescribeBottleneck(report));
}

void WriteBadValues(const IngestReport& report, JsonWriter& json) {
  json.Key("bad_values").BeginObject();
  for (const auto& [field, count] : report.bad_values) json.Key(field).Uint(count);
  json.EndObject();
}

void PrintIndexJson(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path,
                    const BuildProfile* profile) {
  JsonWriter json;
  json.BeginObject();
  json.Key("documents").Uint(report.documents);
  json.Key("resumed_documents").Uint(report.resumed_documents);
  json.Key("skipped").Uint(report.skipped);
  json.Key("bytes_in").Uint(report.bytes_in);
  json.Key("tokens").Uint(report.tokens);
  json.Key("terms").Uint(statistics.term_count);
  json.Key("postings").Uint(statistics.posting_count);
  json.Key("seconds").Double(report.seconds);
  json.Key("mib_per_second").Double(MibPerSecond(report));
  json.Key("segments").Uint(snapshot.segments().size());
  json.Key("bytes").BeginObject();
  json.Key("uncompressed").Uint(statistics.file_bytes - statistics.compressed_bytes);
  json.Key("compressed").Uint(statistics.compressed_bytes);
  json.Key("total").Uint(statistics.file_bytes);
  json.EndObject();
  json.Key("repeated_ids").Uint(report.repeated_ids);
  json.Key("updated").Uint(report.updated);
  WriteProblems(report, json);
  WriteBadValues(report, json);
  if (report.stages.seconds > 0) {  // else nothing was built, and there is only the index to report
    json.Key("peak_rss_bytes").Uint(report.peak_rss_bytes);
    json.Key("simd").String(ToString(report.simd));
    WriteStages(report.stages, json);
    if (profile != nullptr) {
      json.Key("profile");
      WriteBuildProfile(*profile, report.stages, json);
    }
  }
  WriteNuma(report.numa, json);
  WriteTuning(snapshot.manifest().properties, json);
  json.Key("index").Name(path);
  json.Key("generation").Uint(snapshot.manifest().generation);
  WriteMissing(MissingParts(snapshot), json);
  json.EndObject();
  WriteOutput(json.result() + "\n");
}

void PrintIndexText(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path,
                    const BuildProfile* profile) {
  // Nothing was built then, and there is only the index to report.
  const bool was_finished = report.seconds == 0;
  if (report.resumed_documents > 0 && !was_finished) {
    PrintOutput("went on after %s documents\n", WithThousands(report.resumed_documents));
  }
  if (!was_finished) {
    PrintOutput("indexed %s documents, %s in %.2f s (%.1f MiB/s); %s skipped\n",
                WithThousands(report.documents), HumanBytes(report.bytes_in), report.seconds,
                MibPerSecond(report), WithThousands(report.skipped));
  }
  if (report.updated > 0) {
    PrintOutput("replaced %s documents by later ones with the same id\n",
                WithThousands(report.updated));
  }
  PrintOutput("%s: %s documents, %s terms, %s postings in %d segments, %s\n", Printable(path),
              WithThousands(snapshot.live_doc_count()), WithThousands(statistics.term_count),
              WithThousands(statistics.posting_count), snapshot.segments().size(),
              HumanBytes(statistics.file_bytes));
  if (report.stages.seconds == 0) return;
  PrintOutput("%s\n", DescribeBottleneck(report.stages));
  if (profile != nullptr) PrintOutput("\n%s", BuildProfileToText(*profile, report.stages));
}

}  // namespace

void PrintIndexProblems(const IngestReport& report) {
  for (const auto& [kind, problem] : report.problems) {
    std::vector<std::string> places;
    for (const std::string& place : problem.first_places) places.push_back(Printable(place));
    if (problem.count > places.size()) places.emplace_back("...");
    absl::FPrintF(stderr, "%s: %s (%s)\n", ToAbsl(ToString(kind)), WithThousands(problem.count),
                  absl::StrJoin(places, ", "));
  }
  if (report.repeated_ids > 0) {
    absl::FPrintF(stderr,
                  "repeated ids: %s (every document stays; with --update later ones replace "
                  "earlier ones)\n",
                  WithThousands(report.repeated_ids));
  }
}

absl::Status PrintIndexReport(const IngestReport& report, const IndexStatistics& statistics,
                              const Snapshot& snapshot, const std::string& path,
                              const BuildProfiler* profiler, bool json) {
  std::optional<BuildProfile> profile;
  if (profiler != nullptr) {
    PMDEX_ASSIGN_OR_RETURN(profile, profiler->Profile());
  }
  const BuildProfile* const shown = profile.has_value() ? &*profile : nullptr;
  if (json) {
    PrintIndexJson(report, statistics, snapshot, path, shown);
  } else {
    PrintIndexText(report, statistics, snapshot, path, shown);
  }
  return absl::OkStatus();
}

}  // namespace pmdex
