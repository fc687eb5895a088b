// The command `pmdex tier`: lists segments with tier, size and heat, and converts them.
#include <chrono>
#include <ctime>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/index_writer.h"
#include "engine/store/placement/segment_converter.h"
#include "engine/store/placement/tier_policy.h"
#include "engine/store/snapshot.h"
#include "engine/store/store_verifier.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/existing_index_writer.h"
#include "tools/flag_checks.h"
#include "tools/json_writer.h"
#include "tools/output.h"
#include "tools/printable.h"
#include "tools/stop_signals.h"

namespace pmdex {
namespace {

struct TierFlags {
  std::string index;
  std::string action;
  std::vector<std::string> segments;
  uint64_t coldest_bytes = 0;
  std::string older_than;
  bool coldest = false;
  bool all = false;
  bool json = false;
  bool quiet = false;
};

std::string PathOf(const Manifest& manifest, const ManifestSegment& segment,
                   const std::string& index) {
  const ManifestPlace* place = FindPlace(manifest.places, segment.place);
  return absl::StrCat(place == nullptr ? index : place->path, "/", SegmentFileName(segment.id));
}

void PrintListJson(const Manifest& manifest, const std::string& index,
                   const std::vector<MissingPart>& missing) {
  JsonWriter json;
  json.BeginObject();
  json.Key("segments").BeginArray();
  for (const ManifestSegment& segment : manifest.segments) {
    json.BeginObject();
    json.Key("segment").String(SegmentFileName(segment.id));
    json.Key("tier").String(ToString(segment.tier));
    json.Key("bytes").Uint(segment.file_bytes);
    json.Key("documents").Uint(segment.live_count());
    json.Key("heat").Uint(segment.heat);
    if (segment.created_s != 0) json.Key("created_s").Uint(segment.created_s);
    json.Key("path").Name(PathOf(manifest, segment, index));
    const KeptCopy* const copy = manifest.CopyOf(segment.id);
    if (copy != nullptr) json.Key("copy").Name(PathOf(manifest, copy->file, index));
    json.EndObject();
  }
  json.EndArray();
  WriteMissing(missing, json);
  json.EndObject();
  WriteOutput(json.result() + "\n");
}

void PrintListText(const Manifest& manifest, const std::string& index) {
  PrintOutput("%-32s %-12s %10s %14s %12s  %s\n", "segment", "tier", "bytes", "documents", "heat",
              "path");
  for (const ManifestSegment& segment : manifest.segments) {
    PrintOutput("%-32s %-12s %10s %14s %12s  %s\n", SegmentFileName(segment.id),
                ToAbsl(ToString(segment.tier)), HumanBytes(segment.file_bytes),
                WithThousands(segment.live_count()), WithThousands(segment.heat),
                Printable(PathOf(manifest, segment, index)));
  }
}

absl::StatusOr<int> RunList(const TierFlags& flags, const Directory& directory) {
  if (!flags.segments.empty() || flags.coldest || flags.all || !flags.older_than.empty()) {
    return InvalidArgument("tier list: takes no segments and no choice of them");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(directory, WithoutAnalysis()));
  WarnPassedOver(*snapshot);
  const std::vector<MissingPart> missing = MissingParts(*snapshot);
  if (flags.json) {
    PrintListJson(snapshot->manifest(), directory.path(), missing);
  } else {
    PrintListText(snapshot->manifest(), directory.path());
  }
  WarnMissing(missing);
  return missing.empty() ? kExitDone : kExitFailed;
}

absl::StatusOr<TierPolicy> PolicyOf(const TierFlags& flags) {
  TierPolicy policy;
  policy.segments = flags.segments;
  policy.all = flags.all;
  if (flags.coldest) policy.coldest_bytes = flags.coldest_bytes;
  if (!flags.older_than.empty()) {
    policy.older_than_s = ParseAge(flags.older_than);
    if (!policy.older_than_s.has_value()) {
      return InvalidArgument(absl::StrCat("--older-than ", flags.older_than,
                                          ": not a time such as 90s, 10m, 12h, 7d or 2w"));
    }
  }
  return policy;
}

struct ConvertedSegments {
  std::vector<std::string> old_names;
  std::vector<std::string> new_names;
  double seconds = 0;
};

// Each segment becomes visible in its new form before the next one begins, so that an interruption
// loses at most one, and no more space is taken than one segment needs.
// convert: has the writer write the segment with this id anew.
template <typename Convert>
absl::Status PublishEach(const std::vector<uint64_t>& ids, const Convert& convert,
                         const StopSignals& signals, IndexWriter& writer,
                         ConvertedSegments& converted) {
  const auto start = std::chrono::steady_clock::now();
  for (const uint64_t id : ids) {
    if (signals.flag().IsSet()) break;
    PMDEX_ASSIGN_OR_RETURN(const ManifestSegment segment, convert(id));
    PMDEX_RETURN_IF_ERROR(writer.Publish());
    converted.old_names.push_back(SegmentFileName(id));
    converted.new_names.push_back(SegmentFileName(segment.id));
  }
  WarnMissingCopies(writer.missing_copies());
  converted.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return absl::OkStatus();
}

void PrintConverted(const ConvertedSegments& converted, Tier tier, const TierFlags& flags) {
  if (flags.json) {
    JsonWriter json;
    json.BeginObject();
    json.Key("converted").BeginArray();
    for (const std::string& name : converted.old_names) json.String(name);
    json.EndArray();
    json.Key("now").BeginArray();
    for (const std::string& name : converted.new_names) json.String(name);
    json.EndArray();
    json.Key("seconds").Double(converted.seconds);
    json.EndObject();
    WriteOutput(json.result() + "\n");
  } else if (!flags.quiet) {
    for (size_t i = 0; i < converted.old_names.size(); ++i) {
      PrintOutput("%s is now %s (%s)\n", converted.old_names[i], converted.new_names[i],
                  ToAbsl(ToString(tier)));
    }
  }
}

int Interrupted(const StopSignals& signals) {
  ReportError(MakeStatus(absl::StatusCode::kCancelled,
                         absl::StrCat("interrupted by ", StopSignalName(signals.signal()),
                                      ": the same command line goes on with the others")));
  return kExitSignal + signals.signal();
}

absl::StatusOr<int> RunConvert(const TierFlags& flags, Directory& directory) {
  const Tier tier = flags.action == "demote" ? Tier::kCompressed : Tier::kUncompressed;
  const Tier from = flags.action == "demote" ? Tier::kUncompressed : Tier::kCompressed;
  PMDEX_ASSIGN_OR_RETURN(const TierPolicy policy, PolicyOf(flags));
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriterOfExistingIndex(directory));
  const Manifest& manifest = writer->published();
  PMDEX_ASSIGN_OR_RETURN(
      std::vector<uint64_t> ids,
      ChooseSegments(manifest, policy, from, static_cast<uint64_t>(std::time(nullptr))));
  std::set<uint64_t> placed;
  for (const ManifestSegment& segment : manifest.segments) {
    if (writer->IsPlaced(segment, tier)) placed.insert(segment.id);
  }
  std::erase_if(ids, [&](uint64_t id) { return placed.contains(id); });
  StopSignals signals;
  ConvertedSegments converted;
  const auto convert = [&](uint64_t id) { return writer->Convert(id, tier); };
  absl::Status status = PublishEach(ids, convert, signals, *writer, converted);
  PrintConverted(converted, tier, flags);
  if (!status.ok()) return status;
  return converted.old_names.size() == ids.size() ? kExitDone : Interrupted(signals);
}

// Segments first, from copies that are sound; then the copies that are not, from their segments. A
// pair of which both files are damaged is an error.
absl::StatusOr<int> RunRepair(const TierFlags& flags, Directory& directory) {
  if (!flags.segments.empty() || flags.coldest || flags.all || !flags.older_than.empty()) {
    return InvalidArgument("tier repair: takes no segments and no choice of them");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriterOfExistingIndex(directory));
  PMDEX_ASSIGN_OR_RETURN(const DamagedPairs damaged,
                         FindDamagedPairs(directory, writer->published()));
  StopSignals signals;
  ConvertedSegments rebuilt;
  const auto rebuild = [&](uint64_t id) { return writer->Rebuild(id); };
  const absl::Status status = PublishEach(damaged.segments, rebuild, signals, *writer, rebuilt);
  PrintConverted(rebuilt, Tier::kUncompressed, flags);
  PMDEX_RETURN_IF_ERROR(status);
  if (rebuilt.old_names.size() < damaged.segments.size()) return Interrupted(signals);
  if (damaged.copies.empty()) return kExitDone;
  writer->DropCopies(damaged.copies);
  PMDEX_RETURN_IF_ERROR(writer->WriteCopies());
  PMDEX_RETURN_IF_ERROR(writer->Publish());
  if (!flags.json && !flags.quiet) {
    PrintOutput("%d copies were damaged and are written anew\n", damaged.copies.size());
  }
  return kExitDone;
}

absl::StatusOr<int> RunTier(const TierFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(path));
  if (flags.action == "list") return RunList(flags, *directory);
  return flags.action == "repair" ? RunRepair(flags, *directory) : RunConvert(flags, *directory);
}

constexpr char kTierFooter[] =
    "Actions:\n"
    "  list     the segments with tier, size, documents, heat and path\n"
    "  promote  write segments as uncompressed ones to the places for these. An uncompressed\n"
    "           segment that lies elsewhere, at a place that takes no more segments say, moves\n"
    "  demote   write segments as compressed ones to the place for these\n"
    "  repair   read the segments that have a copy (index --keep-compressed), and the copies, and\n"
    "           write those that are damaged anew from the other\n"
    "Heat is the number of queries that had a word in a segment, as far as --save-heat of search "
    "and\n"
    "serve has saved it. The index answers meanwhile; a converted segment has a new name.\n"
    "Exit status:\n"
    "  0    done; nothing to do is done, too\n"
    "  1    it could not be done, or only in part\n"
    "  2    wrong usage\n"
    "  130  ended by SIGINT; 143: by SIGTERM; what was converted stays";

}  // namespace

void AddTierCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<TierFlags>();
  CLI::App* command = app.add_subcommand("tier", "list segments, or convert them to another tier");
  command->add_option("action", flags->action, "list, promote, demote or repair")
      ->required()
      ->check(CLI::IsMember({"list", "promote", "demote", "repair"}))
      ->type_name("list|promote|demote|repair");
  command->add_option("segments", flags->segments, "segments by name, as list shows them")
      ->type_name("SEGMENT");
  AddIndexFlag(*command, flags->index);
  CLI::Option* coldest =
      command
          ->add_option("--coldest", flags->coldest_bytes,
                       "those with the fewest queries a byte, until they make so many bytes")
          ->transform(SizeValue())
          ->type_name("SIZE");
  command
      ->add_option("--older-than", flags->older_than,
                   "those whose documents were indexed longer ago: 12h, 7d, 2w")
      ->type_name("AGE");
  command->add_flag("--all", flags->all, "all segments");
  command->add_flag("--json", flags->json, "print one JSON document");
  command->add_flag("--quiet", flags->quiet, "print nothing but errors");
  command->footer(kTierFooter);
  command->callback([flags, coldest, &invocation] {
    flags->coldest = coldest->count() > 0;
    invocation.run = [flags] { return RunTier(*flags); };
  });
}

}  // namespace pmdex
