// The command `pmdex info`: shows what an index contains and how it was built.
#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/columns/field_spec.h"
#include "engine/ingest/input_directories.h"
#include "engine/memtable/field_names.h"
#include "engine/store/snapshot.h"
#include "engine/store/statistics.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/output.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

struct InfoFlags {
  std::string index;
  bool json = false;
};

std::string_view OnOff(bool value) {
  return value ? "on" : "off";
}

void WritePlaces(const Manifest& manifest, JsonWriter& json) {
  json.Key("places").BeginArray();
  for (const ManifestPlace& place : manifest.places) {
    json.BeginObject();
    json.Key("path").Name(place.path);
    json.Key("role").String(ToString(place.role));
    json.EndObject();
  }
  json.EndArray();
}

void PrintPlaces(const Manifest& manifest) {
  for (const ManifestPlace& place : manifest.places) {
    PrintOutput("place       %s (%s)\n", Printable(place.path), ToAbsl(ToString(place.role)));
  }
}

// What follows a number of documents; empty if none are deleted.
std::string DeletedText(uint64_t deleted) {
  return deleted == 0 ? "" : absl::StrCat("  (", WithThousands(deleted), " deleted)");
}

// The directory in which a segment lies.
std::string PlaceOf(const Snapshot& snapshot, size_t segment, const std::string& index) {
  const std::string_view place = snapshot.place(segment);
  return place.empty() ? index : std::string(place);
}

void WriteSegments(const Snapshot& snapshot, const std::string& index, JsonWriter& json) {
  json.Key("segments").BeginArray();
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const auto& segment = snapshot.segments()[i];
    json.BeginObject();
    json.Key("file").String(segment->file_name());
    json.Key("id").Uint(segment->segment_id());
    json.Key("tier").String(ToString(snapshot.listed(i).tier));
    json.Key("place").Name(PlaceOf(snapshot, i, index));
    json.Key("documents").Uint(snapshot.listed(i).live_count());
    json.Key("deleted").Uint(snapshot.listed(i).deleted_count);
    json.Key("terms").Uint(segment->term_count());
    json.Key("postings").Uint(segment->posting_count());
    json.Key("bytes").Uint(segment->file_bytes());
    json.Key("sections").BeginObject();
    for (const SectionEntry& section : segment->view().sections()) {
      json.Key(ToString(section.kind)).Uint(section.size_bytes);
    }
    json.EndObject().EndObject();
  }
  json.EndArray();
}

// A field as `info` shows it. Only text has tokens and terms.
struct ShownField {
  FieldSpec spec;
  uint64_t documents = 0;
  const FieldSummary* text = nullptr;
};

std::map<std::string, ShownField> FieldsOf(const Snapshot& snapshot,
                                           const IndexStatistics& statistics) {
  std::map<std::string, ShownField> fields;
  for (const auto& [name, spec] : snapshot.manifest().fields) fields[name].spec = spec;
  for (const FieldSummary& text : statistics.fields) {
    fields[text.name].documents = text.doc_count;
    fields[text.name].text = &text;
  }
  for (const auto& segment : snapshot.segments()) {
    for (const ColumnView& column : segment->columns()) {
      fields[std::string(column.name())].documents += column.doc_count();
    }
  }
  return fields;
}

void WriteFields(const Snapshot& snapshot, const IndexStatistics& statistics, JsonWriter& json) {
  json.Key("fields").BeginObject();
  for (const auto& [name, field] : FieldsOf(snapshot, statistics)) {
    json.Key(name).BeginObject();
    json.Key("type").String(ToString(field.spec.type));
    json.Key("multi").Bool(field.spec.multi());
    json.Key("documents").Uint(field.documents);
    if (field.text != nullptr) {
      json.Key("tokens").Uint(field.text->token_count);
      json.Key("terms").Uint(field.text->term_count);
    }
    json.EndObject();
  }
  json.EndObject();
}

void PrintFields(const Snapshot& snapshot, const IndexStatistics& statistics) {
  PrintOutput("\n%-24s %-8s %12s %14s %12s\n", "field", "type", "documents", "tokens", "terms");
  for (const auto& [name, field] : FieldsOf(snapshot, statistics)) {
    PrintOutput("%-24s %-8s %12s %14s %12s\n", Printable(name), ToAbsl(ToString(field.spec.type)),
                WithThousands(field.documents),
                field.text == nullptr ? "" : WithThousands(field.text->token_count),
                field.text == nullptr ? "" : WithThousands(field.text->term_count));
  }
}

// The field that collects the text of the field names beyond the limit; nullptr if there is none.
const FieldSummary* SharedField(const IndexStatistics& statistics) {
  const auto shared =
      std::find_if(statistics.fields.begin(), statistics.fields.end(),
                   [](const FieldSummary& field) { return field.name == kOtherField; });
  return shared == statistics.fields.end() ? nullptr : &*shared;
}

// Writes nothing if there is no shared field.
void WriteSharedField(const IndexStatistics& statistics, JsonWriter& json) {
  const FieldSummary* shared = SharedField(statistics);
  if (shared == nullptr) return;
  json.Key("fields_beyond_limit").BeginObject();
  json.Key("limit").Uint(kMaxFields);
  json.Key("field").String(shared->name);
  json.Key("documents").Uint(shared->doc_count);
  json.EndObject();
}

void PrintSharedField(const IndexStatistics& statistics) {
  const FieldSummary* shared = SharedField(statistics);
  if (shared == nullptr) return;
  PrintOutput(
      "%s documents have fields beyond the limit of %s, or with names that are too long; the text "
      "of these fields is in %s\n",
      WithThousands(shared->doc_count), WithThousands(kMaxFields), shared->name);
}

// Writes nothing if there is no unfinished build.
void WriteUnfinished(const Manifest& manifest, JsonWriter& json) {
  if (!manifest.pending.has_value()) return;
  json.Key("unfinished_build").BeginObject();
  json.Key("mode").String(ToString(manifest.pending->mode));
  json.Key("documents").Uint(manifest.PendingDocuments());
  json.Key("segments").Uint(manifest.pending->segments.size());
  json.Key("options").String(manifest.pending->options);
  json.EndObject();
}

void PrintUnfinished(const Manifest& manifest) {
  if (!manifest.pending.has_value()) return;
  PrintOutput("unfinished  build (%s): %s documents so far, of %s (go on with --resume)\n",
              ToAbsl(ToString(manifest.pending->mode)), WithThousands(manifest.PendingDocuments()),
              Printable(manifest.pending->options));
}

// A property of the manifest as people read it.
std::string PropertyText(const std::string& key, const std::string& value) {
  return key == kInputDirectoriesProperty ? InputDirectoriesText(value) : value;
}

void PrintJson(const std::string& path, const Snapshot& snapshot, const IndexStatistics& statistics,
               StoreGranularity granularity) {
  const IndexSettings& settings = snapshot.settings();
  JsonWriter json;
  json.BeginObject();
  json.Key("index").Name(path);
  json.Key("generation").Uint(snapshot.manifest().generation);
  json.Key("documents").Uint(snapshot.live_doc_count());
  json.Key("deleted").Uint(snapshot.doc_count() - snapshot.live_doc_count());
  json.Key("terms").Uint(statistics.term_count);
  json.Key("postings").Uint(statistics.posting_count);
  json.Key("tokens").Uint(statistics.token_count);
  json.Key("analyzer").String(ToString(settings.analyzer));
  json.Key("settings").BeginObject();
  json.Key("positions").String(OnOff(settings.positions));
  json.Key("store").String(OnOff(settings.store_text));
  for (const auto& [key, value] : snapshot.manifest().properties) {
    json.Key(key).Name(PropertyText(key, value));
  }
  json.EndObject();
  json.Key("granularity").String(ToString(granularity));
  json.Key("bytes").BeginObject();
  json.Key("uncompressed").Uint(statistics.file_bytes - statistics.compressed_bytes);
  json.Key("compressed").Uint(statistics.compressed_bytes);
  json.Key("total").Uint(statistics.file_bytes);
  json.EndObject();
  WriteUnfinished(snapshot.manifest(), json);
  WriteFields(snapshot, statistics, json);
  WriteSharedField(statistics, json);
  WritePlaces(snapshot.manifest(), json);
  WriteSegments(snapshot, path, json);
  WriteMissing(MissingParts(snapshot), json);
  json.EndObject();
  WriteOutput(json.result() + "\n");
}

void PrintText(const std::string& path, const Snapshot& snapshot, const IndexStatistics& statistics,
               StoreGranularity granularity) {
  const IndexSettings& settings = snapshot.settings();
  PrintOutput("index       %s (generation %d, store granularity %s)\n", Printable(path),
              snapshot.manifest().generation, ToAbsl(ToString(granularity)));
  PrintOutput("documents   %s%s\n", WithThousands(snapshot.live_doc_count()),
              DeletedText(snapshot.doc_count() - snapshot.live_doc_count()));
  PrintOutput("terms       %s\n", WithThousands(statistics.term_count));
  PrintOutput("postings    %s\n", WithThousands(statistics.posting_count));
  PrintOutput("tokens      %s\n", WithThousands(statistics.token_count));
  PrintOutput("bytes       %s uncompressed, %s compressed\n",
              HumanBytes(statistics.file_bytes - statistics.compressed_bytes),
              HumanBytes(statistics.compressed_bytes));
  PrintOutput("analyzer    %s, positions %s, store %s\n", ToAbsl(ToString(settings.analyzer)),
              ToAbsl(OnOff(settings.positions)), ToAbsl(OnOff(settings.store_text)));
  for (const auto& [key, value] : snapshot.manifest().properties) {
    PrintOutput("%-11s %s\n", Printable(key), Printable(PropertyText(key, value)));
  }
  PrintPlaces(snapshot.manifest());
  PrintUnfinished(snapshot.manifest());
  PrintFields(snapshot, statistics);
  PrintSharedField(statistics);
  PrintOutput("\n%-32s %-12s %12s %14s %10s\n", "segment", "tier", "documents", "postings",
              "bytes");
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const auto& segment = snapshot.segments()[i];
    PrintOutput("%-32s %-12s %12s %14s %10s%s\n", segment->file_name(),
                ToAbsl(ToString(snapshot.listed(i).tier)),
                WithThousands(snapshot.listed(i).live_count()),
                WithThousands(segment->posting_count()), HumanBytes(segment->file_bytes()),
                DeletedText(snapshot.listed(i).deleted_count) +
                    (snapshot.place(i).empty() ? "" : "  " + Printable(snapshot.place(i))));
  }
  for (const QuarantinedSegment& segment : snapshot.quarantined()) {
    PrintOutput("%-32s %-12s %12s\n", segment.file_name, "quarantined",
                WithThousands(segment.doc_count));
  }
}

absl::StatusOr<int> RunInfo(const InfoFlags& flags) {
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(flags.index));
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(auto opened, Snapshot::Open(*directory, WithoutAnalysis()));
  WarnPassedOver(*opened);
  PMDEX_ASSIGN_OR_RETURN(const auto sound, ComputeSoundStatistics(std::move(opened)));
  const auto& [snapshot, statistics] = sound;
  if (flags.json) {
    PrintJson(directory->path(), *snapshot, statistics, directory->granularity());
  } else {
    PrintText(directory->path(), *snapshot, statistics, directory->granularity());
  }
  WarnMissing(MissingParts(*snapshot));
  return snapshot->quarantined().empty() ? kExitDone : kExitFailed;
}

}  // namespace

void AddInfoCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<InfoFlags>();
  CLI::App* command = app.add_subcommand(
      "info", "show documents, terms, postings, segments with tier, sizes, analyzer, settings");
  AddIndexFlag(*command, flags->index);
  command->add_flag("--json", flags->json, "print one JSON document");
  command->footer(
      "Documents are those that are not deleted. Terms, postings and tokens count deleted "
      "documents,\n"
      "too, until a merge drops them.\n"
      "Exit status:\n"
      "  0  the whole index was read\n"
      "  1  the index could not be read, or only in part: segments that are damaged, missing or\n"
      "     unreadable are listed as quarantined and counted nowhere else\n"
      "  2  wrong usage");
  command->callback([flags, &invocation] { invocation.run = [flags] { return RunInfo(*flags); }; });
}

}  // namespace pmdex
