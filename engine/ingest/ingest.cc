#include "engine/ingest/ingest.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/formats/build_fields.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/formats/simdjson_library.h"
#include "engine/ingest/logs/log_clock.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/pipeline/pipeline.h"
#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/pipeline/stage_report.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/ingest/repeated_ids.h"
#include "engine/ingest/replaced_documents.h"
#include "engine/ingest/resume/build_progress.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/snapshot.h"
#include "pmem/exhaustion.h"
#include "pmem/huge_pages.h"
#include "pmem/memory_limit.h"
#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

absl::Status CheckOptions(const IngestOptions& options) {
  if (options.inputs.empty()) return InvalidArgument("no input given");
  if (std::count(options.inputs.begin(), options.inputs.end(), kStandardInput) > 1) {
    return InvalidArgument("standard input (-) is given twice, and can be read only once");
  }
  PMDEX_RETURN_IF_ERROR(CheckTuning(options));
  return CheckInputs(options);
}

IngestProgress ProgressOf(const IngestCounters& counters, StageClock::time_point start) {
  IngestProgress progress;
  progress.bytes_done = counters.bytes_done;
  const bool total_known = counters.walk_done && !counters.size_unknown;
  progress.bytes_total = total_known ? counters.bytes_walked.load() : 0;
  progress.documents = counters.documents;
  progress.written_documents = counters.written_documents;
  progress.elapsed_seconds = SecondsSince(start);
  return progress;
}

// Ids of the segments that were visible before this build: not those of its earlier runs.
std::set<uint64_t> SegmentIdsBefore(const IndexWriter& writer) {
  std::set<uint64_t> ids;
  const bool goes_on = writer.build().has_value();
  const std::optional<uint64_t> from =
      goes_on ? writer.published().PublishedPartsFrom() : std::nullopt;
  for (const ManifestSegment& segment : writer.published().segments) {
    if (!from.has_value() || segment.id < *from) ids.insert(segment.id);
  }
  return ids;
}

bool HasAnyOf(const std::set<uint64_t>& segment_ids, const Snapshot& snapshot) {
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    if (segment_ids.contains(snapshot.listed(i).id)) return true;
  }
  return false;
}

IngestReport ReportOf(const BuildProgress& done, const ProblemSummaries& walk_problems) {
  IngestReport report;
  report.documents = done.documents;
  report.bytes_in = done.bytes_in;
  report.tokens = done.tokens;
  report.segments = done.segments;
  report.problems = done.problems;
  report.bad_values = done.bad_values;
  MergeProblems(walk_problems, report.problems);
  for (const auto& [kind, summary] : report.problems) {
    if (IsSkipped(kind)) report.skipped += summary.count;
  }
  return report;
}

// Begins the build, unless the writer has taken one up; returns what was done of that.
absl::StatusOr<BuildProgress> BeginOrGoOn(const IngestOptions& options, IndexWriter& writer) {
  const std::string description = DescribeBuild(options);
  if (!writer.build().has_value()) {
    PMDEX_RETURN_IF_ERROR(writer.StartBuild(description));
    return BuildProgress{};
  }
  if (writer.build()->options != description) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the unfinished build is another one: ", writer.build()->options));
  }
  return DecodeBuildProgress(writer.build()->progress);
}

// With --update: takes what is replaced out of the next generation.
absl::StatusOr<uint64_t> ReplaceDocuments(const IngestOptions& options,
                                          std::span<const SegmentOrder> orders,
                                          IndexWriter& writer) {
  if (!options.update) return 0;
  return DeleteReplacedDocuments(writer, BuildScope::kWhole, SegmentIdsBefore(writer), orders,
                                 options.memory_bytes / 2,
                                 static_cast<size_t>(options.indexer_threads));
}

// The same for each part of a build that is searched while it runs. Indexers need the memory
// meanwhile, so that it has little, and passes over the ids more often where that is too little.
Checkpointer::ReplaceDocuments ReplaceInParts(const IngestOptions& options, IndexWriter& writer) {
  if (!options.update || !options.publishes_parts()) return nullptr;
  return [&writer, memory_bytes = options.memory_bytes / 16,
          old_segments = SegmentIdsBefore(writer)](std::span<const SegmentOrder> orders) {
    return DeleteReplacedDocuments(writer, BuildScope::kPart, old_segments, orders, memory_bytes,
                                   /*threads=*/1);
  };
}

// Everything but publishing.
absl::StatusOr<IngestReport> IndexInputs(const IngestOptions& options,
                                         const BuildParameters& parameters, BuildProgress done,
                                         FieldRegistry& fields, std::string input_begin,
                                         IndexWriter& writer,
                                         const std::function<void(const IngestProgress&)>& tick,
                                         StageClock::time_point start) {
  const uint64_t resumed_documents = done.documents;
  Checkpointer checkpointer(writer, std::move(done), &fields, options.publishes_parts(),
                            ReplaceInParts(options, writer));
  IngestContext context(parameters, options.numa_nodes, options.stop);
  context.fields = &fields;
  context.keeps_input_order = options.update;
  std::optional<LogClock> clock;
  if (!options.log_zone.empty()) {
    PMDEX_ASSIGN_OR_RETURN(clock, LogClock::Open(options.log_zone));
    context.log_clock = &*clock;
  }
  context.input_begin = std::move(input_begin);
  // 0 would make a block of each piece that a pipe gives.
  const std::chrono::milliseconds interval = CheckpointLimitsOf(options).interval;
  if (interval.count() > 0) context.longest_wait = interval;
  if (context.groups.count() > 1) context.medium_node = NodeOfMedium(writer.directory());
  auto stages = RunPipeline(options, context, checkpointer, writer, [&] {
    if (tick) tick(ProgressOf(context.counters, start));
  });
  if (!stages.ok()) {
    if (fields.overflowed()) return stages.status();  // nothing of it is worth a checkpoint
    // As much as may be. The first error is what counts; a stop is none, so its checkpoint may have
    // the first one.
    const absl::Status checkpointed = CatchOutOfMemory([&] { return checkpointer.CommitRest(); });
    return absl::IsCancelled(stages.status()) && !checkpointed.ok() ? checkpointed
                                                                    : stages.status();
  }
  const BuildProgress progress = checkpointer.progress();
  IngestReport report = ReportOf(progress, context.walk_problems.problems());
  PMDEX_ASSIGN_OR_RETURN(report.updated, ReplaceDocuments(options, progress.orders, writer));
  report.updated += progress.updated;
  report.resumed_documents = resumed_documents;
  report.numa = context.groups.report();
  report.stages = *std::move(stages);
  const Checkpointer::Totals checkpoints = checkpointer.totals();
  report.stages.publish.items = checkpoints.checkpoints;
  report.stages.publish.lifetime_seconds = checkpoints.seconds;
  return report;
}

// The same, and begins anew where the input turns out to have more fields than an index may have,
// or where the first value of a field came behind another one: which of them are the first is not
// known before.
absl::StatusOr<IngestReport> IndexWithFields(const IngestOptions& options,
                                             const BuildParameters& parameters, BuildProgress done,
                                             IndexWriter& writer,
                                             const std::function<void(const IngestProgress&)>& tick,
                                             StageClock::time_point start) {
  PMDEX_ASSIGN_OR_RETURN(BuildFields fields, OpenBuildFields(options, parameters, writer, done));
  std::unique_ptr<FieldRegistry> registry = std::move(fields.registry);
  auto report = IndexInputs(options, parameters, std::move(done), *registry,
                            std::move(fields.input_begin), writer, tick, start);
  if (registry->overflowed()) {
    BuildProgress anew;
    PMDEX_ASSIGN_OR_RETURN(anew.fields, SettleFields(options, parameters, writer));
    anew.fields_are_settled = true;
    PMDEX_RETURN_IF_ERROR(writer.StartBuild(DescribeBuild(options)));
    PMDEX_ASSIGN_OR_RETURN(fields, OpenBuildFields(options, parameters, writer, anew));
    registry = std::move(fields.registry);
    report = IndexInputs(options, parameters, std::move(anew), *registry, {}, writer, tick, start);
  }
  if (report.ok()) writer.SetFields(SpecsOf(registry->fields()));
  return report;
}

absl::Status PublishBuild(IndexWriter& writer, PipelineReport& stages) {
  const StageClock::time_point start = StageClock::now();
  PMDEX_RETURN_IF_ERROR(writer.Publish());
  const double seconds = SecondsSince(start);
  stages.seconds += seconds;
  stages.publish.threads = 1;
  stages.publish.lifetime_seconds += seconds;
  ++stages.publish.items;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<IngestReport> Ingest(const IngestOptions& options, IndexWriter& writer,
                                    const std::function<void(const IngestProgress&)>& progress) {
  const StageClock::time_point start = StageClock::now();
  PMDEX_RETURN_IF_ERROR(CheckOptions(options));
  PMDEX_RETURN_IF_ERROR(LoadSimdjson());
  const BuildParameters parameters = ResolveParameters(options, writer.directory().granularity());
  PMDEX_ASSIGN_OR_RETURN(const HugePageScope huge_pages, HugePageScope::Open(options.huge_pages));
  const std::set<uint64_t> old_segments = SegmentIdsBefore(writer);
  PMDEX_ASSIGN_OR_RETURN(BuildProgress done, BeginOrGoOn(options, writer));
  PMDEX_ASSIGN_OR_RETURN(IngestReport report, IndexWithFields(options, parameters, std::move(done),
                                                              writer, progress, start));
  writer.SetProperty(kTuningProperty, ToString(parameters));
  writer.SetProperty(kBuildTotalsProperty, EncodeBuildTotals(report));
  PMDEX_RETURN_IF_ERROR(PublishBuild(writer, report.stages));
  report.simd = parameters.memtable.simd;
  report.peak_rss_bytes = PeakRssBytes();
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(writer.directory()));
  if (!options.update && (IdsMayRepeat(options) || HasAnyOf(old_segments, *snapshot))) {
    PMDEX_ASSIGN_OR_RETURN(report.repeated_ids,
                           CountRepeatedIds(*snapshot, old_segments, options.memory_bytes / 2));
  }
  report.seconds = SecondsSince(start);
  return report;
}

}  // namespace pmdex
