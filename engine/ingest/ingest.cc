#include "engine/ingest/ingest.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "absl/strings/str_cat.h"

#include "engine/ingest/ingest_context.h"
#include "engine/ingest/pipeline.h"
#include "engine/ingest/repeated_ids.h"
#include "engine/ingest/tree_walk.h"
#include "engine/store/snapshot.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One reader keeps up with two indexers, and the order of documents fixed.
int ReaderThreads(const IngestOptions& options) {
  if (options.reader_threads > 0) return options.reader_threads;
  return std::clamp(options.indexer_threads / 4, 1, 8);
}

absl::Status CheckOptions(const IngestOptions& options) {
  if (options.inputs.empty()) return InvalidArgument("no input given");
  if (options.indexer_threads < 1) return InvalidArgument("at least one indexer thread");
  return CheckInputs(options);
}

IngestProgress ProgressOf(const IngestCounters& counters, Clock::time_point start) {
  IngestProgress progress;
  progress.bytes_done = counters.bytes_done;
  const bool total_known = counters.walk_done && !counters.size_unknown;
  progress.bytes_total = total_known ? counters.bytes_walked.load() : 0;
  progress.documents = counters.documents;
  progress.elapsed_seconds = SecondsSince(start);
  return progress;
}

bool IdsMayRepeat(const IngestOptions& options) {
  if (options.format == InputFormat::kJsonl || options.format == InputFormat::kTrec) return true;
  return options.format == InputFormat::kAuto &&
         std::any_of(options.inputs.begin(), options.inputs.end(), [](const std::string& input) {
           return input == "-" || input.ends_with(".jsonl") || input.ends_with(".ndjson");
         });
}

std::set<uint64_t> SegmentIds(const Manifest& manifest) {
  std::set<uint64_t> ids;
  for (const ManifestSegment& segment : manifest.segments) ids.insert(segment.id);
  return ids;
}

IngestReport ReportOf(const IngestContext& context) {
  IngestReport report;
  report.documents = context.counters.documents;
  report.bytes_in = context.counters.bytes_in;
  report.tokens = context.counters.tokens;
  report.segments = context.counters.segments;
  report.problems = context.problems.problems();
  for (const auto& [kind, summary] : report.problems) {
    if (IsSkipped(kind)) report.skipped += summary.count;
  }
  return report;
}

}  // namespace

absl::StatusOr<InputFormat> ParseInputFormat(std::string_view name) {
  for (const InputFormat format : {InputFormat::kAuto, InputFormat::kFiles, InputFormat::kLines,
                                   InputFormat::kJsonl, InputFormat::kTrec}) {
    if (name == ToString(format)) return format;
  }
  return InvalidArgument(
      absl::StrCat("unknown format '", ToAbsl(name), "': auto, files, lines, jsonl or trec"));
}

std::string_view ToString(InputFormat format) {
  switch (format) {
    case InputFormat::kAuto:
      return "auto";
    case InputFormat::kFiles:
      return "files";
    case InputFormat::kLines:
      return "lines";
    case InputFormat::kJsonl:
      return "jsonl";
    case InputFormat::kTrec:
      return "trec";
  }
  return "unknown";
}

absl::StatusOr<IngestReport> Ingest(const IngestOptions& options, IndexWriter& writer,
                                    const std::function<void(const IngestProgress&)>& progress) {
  const Clock::time_point start = Clock::now();
  PMDEX_RETURN_IF_ERROR(CheckOptions(options));
  const int readers = ReaderThreads(options);
  const std::set<uint64_t> old_segments = SegmentIds(writer.published());
  uint64_t repeated_ids = 0;
  IngestReport report;
  {
    IngestContext context(PlanMemory(options.memory_bytes, options.indexer_threads, readers));
    PMDEX_RETURN_IF_ERROR(RunPipeline(options, readers, context, writer, [&] {
      if (progress) progress(ProgressOf(context.counters, start));
    }));
    report = ReportOf(context);
  }
  PMDEX_RETURN_IF_ERROR(writer.Publish());
  if (IdsMayRepeat(options)) {
    PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(writer.directory()));
    PMDEX_ASSIGN_OR_RETURN(repeated_ids,
                           CountRepeatedIds(*snapshot, old_segments, options.memory_bytes / 2));
  }
  report.repeated_ids = repeated_ids;
  report.seconds = SecondsSince(start);
  return report;
}

}  // namespace pmdex
