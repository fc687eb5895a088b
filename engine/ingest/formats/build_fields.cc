#include "engine/ingest/formats/build_fields.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/columns/field_spec.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/fields/field_collector.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_scan.h"
#include "engine/ingest/formats/input_sample.h"
#include "engine/ingest/logs/log_clock.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/memtable/field_names.h"
#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/pending_build.h"
#include "pmem/directory.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

bool IsJson(const IngestOptions& options, std::string_view input) {
  if (options.format != InputFormat::kAuto) return options.format == InputFormat::kJsonl;
  return input == kStandardInput || IsNamedJsonLines(input);
}

// Other formats have the same fields in all documents, which need no place.
bool HasJson(const IngestOptions& options) {
  return std::any_of(options.inputs.begin(), options.inputs.end(),
                     [&](const std::string& input) { return IsJson(options, input); });
}

bool HasFiles(const IngestOptions& options) {
  return options.format == InputFormat::kFiles || options.format == InputFormat::kAuto;
}

bool ReadsStandardInput(const IngestOptions& options) {
  return std::find(options.inputs.begin(), options.inputs.end(), kStandardInput) !=
         options.inputs.end();
}

// The text fields of segments, unless they are known. Of a damaged segment nothing is known.
void AddTextFields(const Directory& directory, std::span<const ManifestSegment> segments,
                   KnownFields& fields) {
  for (const ManifestSegment& listed : segments) {
    const std::string file_name = SegmentFileName(listed.id);
    auto file = directory.Open(file_name);
    if (!file.ok()) continue;
    const auto segment = Segment::Open(*std::move(file), file_name, std::nullopt);
    if (!segment.ok()) continue;
    for (const FieldInfo& field : (*segment)->fields()) {
      if (field.name == kOtherField) continue;
      fields.emplace(std::string(field.name), KnownField::Of(FieldSpec()));
    }
  }
}

// Of the index that the build extends.
KnownFields FieldsBefore(const IndexWriter& writer) {
  const bool extends = writer.build().has_value() && writer.build()->mode == OpenMode::kAppend;
  return extends ? FieldsOfIndex(writer) : KnownFields();
}

absl::Status SchemaDiffers(std::string_view name, std::string_view in_schema,
                           std::string_view in_index) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("the schema says that field ", ToAbsl(name), " is ",
                                 ToAbsl(in_schema), ", and in the index it is ", ToAbsl(in_index)));
}

// The types of the schema, for fields that have none. A field of one value may become one of
// several; what the index holds stays right.
absl::Status AddSchema(const FieldSpecs& schema, KnownFields& fields) {
  for (const auto& [name, spec] : schema) {
    const auto [field, is_new] = fields.emplace(name, KnownField::Of(spec));
    if (is_new) continue;
    FieldSpec& known = *field->second.spec;
    if (known.type != spec.type) {
      return SchemaDiffers(name, ToString(spec.type), ToString(known.type));
    }
    if (spec.values == Multiplicity::kOne && known.multi()) {
      return SchemaDiffers(name, "of one value", "of several");
    }
    if (spec.values != Multiplicity::kOpen) known.values = spec.values;
  }
  return absl::OkStatus();
}

// Of the names that the limit is about.
size_t CountNames(const KnownFields& fields) {
  return static_cast<size_t>(std::count_if(
      fields.begin(), fields.end(), [](const auto& field) { return !IsFixedField(field.first); }));
}

// Those that the user lists have a place, and no others follow.
void ReserveListed(const IngestOptions& options, KnownFields& fields) {
  for (const std::string& name : options.fields) {
    if (IsFixedField(name) || CountNames(fields) < options.max_fields) {
      fields.emplace(name, KnownField::Reserved());
    }
  }
}

// What is known before any input is read.
absl::StatusOr<KnownFields> KnownBefore(const IngestOptions& options, const IndexWriter& writer) {
  KnownFields fields = FieldsBefore(writer);
  const bool only_json = std::all_of(options.inputs.begin(), options.inputs.end(),
                                     [&](const auto& input) { return IsJson(options, input); });
  if (!only_json) {
    fields.emplace(std::string(kBodyField), KnownField::Of(FieldSpec()));
    for (const auto& [name, spec] : AttributeSpecs()) {
      if (HasFiles(options)) fields.emplace(name, KnownField::Of(spec));
    }
  }
  FieldSpecs schema = options.schema;
  if (!options.log_zone.empty()) {
    schema[std::string(kLogTimeField)] = {FieldType::kDate, Multiplicity::kOne};
  }
  PMDEX_RETURN_IF_ERROR(AddSchema(schema, fields));
  ReserveListed(options, fields);
  return fields;
}

FieldCollector::Options CollectorOptions(const IngestOptions& options, bool sample_only) {
  return {options.max_fields, /*known_names_only=*/!options.fields.empty(), sample_only};
}

// False if the input can be read only once, or if readers see parts of the build.
bool CanBeginAnew(const IngestOptions& options, const IndexWriter& writer) {
  return !ReadsStandardInput(options) && !options.publishes_parts() &&
         !(writer.build().has_value() && writer.published().HasPublishedParts());
}

FieldAdmission AdmissionOf(const IngestOptions& options, const IndexWriter& writer) {
  if (!CanBeginAnew(options, writer)) return FieldAdmission::kInOrder;
  return options.fields.empty() ? FieldAdmission::kAll : FieldAdmission::kListed;
}

// Adds what the first documents have. If standard input follows other inputs, all of these count.
absl::StatusOr<BuildFields> Sample(const IngestOptions& options, const BuildParameters& parameters,
                                   const IndexWriter& writer, KnownFields known) {
  const bool piped = ReadsStandardInput(options);
  FieldCollector collector(std::move(known), CollectorOptions(options, /*sample_only=*/!piped));
  if (!piped || options.inputs.size() > 1) {
    PMDEX_RETURN_IF_ERROR(ScanFields(options, parameters, collector));
  }
  BuildFields fields;
  if (piped) {
    PMDEX_ASSIGN_OR_RETURN(fields.input_begin, SampleStandardInput(options, parameters, collector));
  }
  const KnownFields found = collector.Take();
  // No name that comes later has a place.
  const bool is_full = CanBeginAnew(options, writer) && CountNames(found) >= options.max_fields;
  fields.registry = std::make_unique<FieldRegistry>(
      found, options.max_fields, is_full ? FieldAdmission::kListed : AdmissionOf(options, writer));
  return fields;
}

}  // namespace

KnownFields FieldsOfIndex(const IndexWriter& writer) {
  KnownFields fields;
  for (const auto& [name, spec] : writer.published().fields) {
    fields.emplace(name, KnownField::Of(spec));
  }
  AddTextFields(writer.directory(), writer.published().segments, fields);
  return fields;
}

absl::StatusOr<BuildFields> OpenBuildFields(const IngestOptions& options,
                                            const BuildParameters& parameters,
                                            const IndexWriter& writer, const BuildProgress& done) {
  BuildFields fields;
  if (done.fields_are_settled) {
    fields.registry =
        std::make_unique<FieldRegistry>(done.fields, options.max_fields, FieldAdmission::kSettled);
    return fields;
  }
  PMDEX_ASSIGN_OR_RETURN(KnownFields known, KnownBefore(options, writer));
  if (!HasJson(options)) {
    fields.registry =
        std::make_unique<FieldRegistry>(known, options.max_fields, FieldAdmission::kAll);
    return fields;
  }
  if (done.fields.empty()) {
    if (writer.build().has_value()) {  // which an earlier version of the program may have begun
      AddTextFields(writer.directory(), writer.build()->segments, known);
    }
    return Sample(options, parameters, writer, std::move(known));
  }
  known.insert(done.fields.begin(), done.fields.end());
  fields.registry =
      std::make_unique<FieldRegistry>(known, options.max_fields, AdmissionOf(options, writer));
  return fields;
}

absl::StatusOr<KnownFields> SettleFields(const IngestOptions& options,
                                         const BuildParameters& parameters,
                                         const IndexWriter& writer) {
  PMDEX_ASSIGN_OR_RETURN(KnownFields known, KnownBefore(options, writer));
  FieldCollector collector(std::move(known), CollectorOptions(options, /*sample_only=*/false));
  PMDEX_RETURN_IF_ERROR(ScanFields(options, parameters, collector));
  return collector.Take();
}

}  // namespace pmdex
