// The command `pmdex merge`: merges segments of an index.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/pipeline/progress.h"
#include "engine/segment/order/graph_order.h"
#include "engine/segment/order/path_order.h"
#include "engine/store/index_writer.h"
#include "engine/store/merging/merge_index.h"
#include "engine/store/merging/paced_directory.h"
#include "pmem/memory_limit.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/flag_checks.h"
#include "tools/json_writer.h"
#include "tools/output.h"
#include "tools/stop_signals.h"

namespace pmdex {
namespace {

struct MergeFlags {
  std::string index;
  uint64_t max_segments = 0;
  bool has_max_segments = false;
  std::string reorder = "none";
  uint64_t memory_bytes = 0;
  std::string tier = "auto";
  uint64_t rate_bytes = 0;
  uint64_t max_bytes = MergePolicyOptions().max_merged_bytes;
  bool json = false;
  bool quiet = false;
};

struct MergeCounts {
  size_t segments_before = 0;
  size_t segments = 0;
  uint64_t bytes = 0;
  uint64_t dropped_documents = 0;
  double seconds = 0;
};

absl::Status CheckFlags(const MergeFlags& flags) {
  if (flags.tier != "auto" && flags.tier != "uncompressed" && flags.tier != "compressed") {
    return InvalidArgument(absl::StrCat(
        "--tier ", flags.tier, ": there is no such tier (hint: auto, uncompressed or compressed)"));
  }
  if (flags.reorder != "none" && flags.reorder != "graph" && flags.reorder != "path") {
    return InvalidArgument(absl::StrCat("--reorder ", flags.reorder,
                                        ": there is no such order (hint: none, graph or path)"));
  }
  return absl::OkStatus();
}

using MergeOrder = decltype(MergeRequest::order);

// What --reorder asks for. progress outlives the merges.
MergeOrder OrderOf(const MergeFlags& flags, const std::function<bool()>& stop,
                   ProgressLine& progress) {
  if (flags.reorder == "none") return {};
  if (flags.reorder == "path") {
    return [stop](std::span<const MergeSource> sources) { return OrderByPath(sources, stop); };
  }
  GraphOrderOptions options;
  options.stop = stop;
  options.memory_bytes = flags.memory_bytes != 0 ? flags.memory_bytes : UsableMemoryBytes() / 4;
  options.progress = [&progress](double done) {
    progress.Show(absl::StrFormat("choosing the order of documents: %.0f%%", done * 100));
  };
  return [options, &progress](std::span<const MergeSource> sources) {
    auto order = OrderByGraph(sources, options);
    progress.Clear();
    return order;
  };
}

MergeIndexOptions OptionsOf(const MergeFlags& flags, const Directory& directory,
                            const Manifest& manifest, const std::function<bool()>& stop) {
  MergeIndexOptions options;
  if (flags.has_max_segments) options.max_segments = flags.max_segments;
  if (flags.tier != "auto") {
    options.request.tier = flags.tier == "compressed" ? Tier::kCompressed : Tier::kUncompressed;
  }
  options.request.stop = stop;
  options.policy.max_merged_bytes = flags.max_bytes;
  // Places have space of their own; there a merge that does not fit ends with an error.
  const auto free_bytes = directory.FreeBytes();
  if (free_bytes.ok() && manifest.places.empty()) options.policy.free_bytes = *free_bytes;
  return options;
}

void PrintCounts(const MergeCounts& counts, const MergeFlags& flags) {
  if (flags.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("segments_before").Uint(counts.segments_before);
    json.Key("segments").Uint(counts.segments);
    json.Key("bytes").Uint(counts.bytes);
    json.Key("dropped_documents").Uint(counts.dropped_documents);
    json.Key("seconds").Double(counts.seconds);
    json.EndObject();
    WriteOutput(json.result() + "\n");
  } else if (!flags.quiet) {
    PrintOutput("%s segments became %s (%s) in %.1f s; %s deleted documents were dropped\n",
                WithThousands(counts.segments_before), WithThousands(counts.segments),
                HumanBytes(counts.bytes), counts.seconds, WithThousands(counts.dropped_documents));
  }
}

absl::StatusOr<int> MergeIn(const MergeFlags& flags, Directory& directory,
                            const StopSignals& signals) {
  const auto stop = [&signals] { return signals.flag().IsSet(); };
  PMDEX_ASSIGN_OR_RETURN(const Manifest manifest, LoadNewestManifest(directory, nullptr));
  const auto start = std::chrono::steady_clock::now();
  PMDEX_ASSIGN_OR_RETURN(auto writer,
                         IndexWriter::Open(directory, OpenMode::kAppend, manifest.settings));
  writer->KeepPendingBuild();
  ProgressLine progress(/*enabled=*/!flags.quiet);
  MergeIndexOptions options = OptionsOf(flags, directory, manifest, stop);
  options.request.order = OrderOf(flags, stop, progress);
  MergeCounts counts;
  counts.segments_before = writer->published().segments.size();
  PMDEX_ASSIGN_OR_RETURN(const MergeReport report, MergeIndex(directory, *writer, options));
  WarnMissingCopies(writer->missing_copies());
  counts.segments = writer->published().segments.size();
  counts.dropped_documents = report.dropped_documents;
  for (const ManifestSegment& segment : writer->published().segments) {
    counts.bytes += segment.file_bytes;
  }
  counts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintCounts(counts, flags);
  if (!report.is_stopped) return kExitDone;
  ReportError(MakeStatus(absl::StatusCode::kCancelled,
                         absl::StrCat("interrupted by ", StopSignalName(signals.signal()),
                                      ": the same command line goes on with the other merges")));
  return kExitSignal + signals.signal();
}

absl::StatusOr<int> RunMerge(const MergeFlags& flags) {
  PMDEX_RETURN_IF_ERROR(CheckFlags(flags));
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
  const StopSignals signals;
  if (flags.rate_bytes == 0) return MergeIn(flags, *directory, signals);
  auto pacer =
      std::make_shared<Pacer>(flags.rate_bytes, [&signals] { return signals.flag().IsSet(); });
  const auto paced = NewPacedDirectory(*directory, std::move(pacer));
  return MergeIn(flags, *paced, signals);
}

constexpr char kMergeFooter[] =
    "Only neighbours are merged, so that documents keep their order. Deleted documents are\n"
    "dropped. Each merge becomes visible before the next one begins; searches go on meanwhile, "
    "and\n"
    "an unfinished build stays. A merge takes the space of its result until it is done. Without\n"
    "--max-segments segments of equal sizes are merged, as Lucene does, until there are about ten\n"
    "of each size. With it, segments that hold deleted documents are written anew, too, and with\n"
    "--reorder all segments. Scores stay with another order, and hits of equal scores follow it.\n"
    "Exit status:\n"
    "  0    done; nothing to do is done, too\n"
    "  1    it could not be done, or only in part\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM; merges that were done stay";

}  // namespace

void AddMergeCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* command = app.add_subcommand("merge", "merge segments, and drop deleted documents");
  AddIndexFlag(*command, flags->index);
  CLI::Option* max_segments =
      command
          ->add_option("--max-segments", flags->max_segments,
                       "merge until there are at most so many segments, whatever their sizes")
          ->check(CLI::Range(1, 1'000'000'000))
          ->type_name("N");
  command
      ->add_option("--tier", flags->tier,
                   "of the new segments: uncompressed, compressed, or auto (the default): "
                   "compressed if all that are merged are")
      ->type_name("auto|uncompressed|compressed");
  command
      ->add_option(
          "--reorder", flags->reorder,
          "of the documents of each new segment: none (the default) keeps it; path: by id, "
          "as paths; graph: documents that share terms become neighbours")
      ->type_name("none|graph|path");
  command
      ->add_option("--memory", flags->memory_bytes,
                   "for choosing the order with --reorder graph (default: a quarter of what this "
                   "process may take)")
      ->transform(SizeValue())
      ->type_name("SIZE");
  command
      ->add_option("--max-bytes", flags->max_bytes,
                   "without --max-segments, make no larger segment (default 5GiB)")
      ->transform(SizeValue())
      ->type_name("SIZE");
  command
      ->add_option("--rate", flags->rate_bytes,
                   "write at most so many bytes a second, to spare searches (default: no limit)")
      ->transform(SizeValue())
      ->type_name("SIZE");
  command->add_flag("--json", flags->json, "print one JSON document");
  command->add_flag("--quiet", flags->quiet, "print nothing but errors");
  command->footer(kMergeFooter);
  command->callback([flags, max_segments, &invocation] {
    flags->has_max_segments = max_segments->count() > 0;
    invocation.run = [flags] { return RunMerge(*flags); };
  });
}

}  // namespace pmdex
