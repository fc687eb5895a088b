#include "engine/ingest/formats/build_fields.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_scan.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/memtable/field_names.h"
#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/pending_build.h"
#include "pmem/directory.h"

namespace pmdex {
namespace {

// Other formats have one field, which needs no place.
bool MayHaveNames(const IngestOptions& options) {
  return options.format == InputFormat::kJsonl || options.format == InputFormat::kAuto;
}

bool ReadsStandardInput(const IngestOptions& options) {
  return std::find(options.inputs.begin(), options.inputs.end(), kStandardInput) !=
         options.inputs.end();
}

// Each once, in the order of the segments. Of a damaged segment nothing is known.
void AddNames(const Directory& directory, std::span<const ManifestSegment> segments,
              std::vector<std::string>& names) {
  for (const ManifestSegment& listed : segments) {
    const std::string file_name = SegmentFileName(listed.id);
    auto file = directory.Open(file_name);
    if (!file.ok()) continue;
    const auto segment = Segment::Open(*std::move(file), file_name, std::nullopt);
    if (!segment.ok()) continue;
    for (const FieldInfo& field : (*segment)->fields()) {
      if (field.name != kOtherField && !IsFixedField(field.name)) names.emplace_back(field.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Of the index that the build extends.
std::vector<std::string> NamesBefore(const IndexWriter& writer) {
  std::vector<std::string> names;
  if (writer.build().has_value() && writer.build()->mode == OpenMode::kAppend) {
    AddNames(writer.directory(), writer.published().segments, names);
  }
  return names;
}

// Those that the user lists come first, and no others follow.
std::vector<std::string> WithListed(const IngestOptions& options, std::vector<std::string> names) {
  for (const std::string& name : options.fields) {
    if (names.size() >= options.max_fields) break;
    if (IsFixedField(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FieldRegistry>> OpenBuildFields(const IngestOptions& options,
                                                               const BuildParameters& parameters,
                                                               const IndexWriter& writer,
                                                               const BuildProgress& done) {
  const auto registry = [&options](const std::vector<std::string>& names,
                                   FieldAdmission admission) {
    return std::make_unique<FieldRegistry>(names, options.max_fields, admission);
  };
  if (!MayHaveNames(options)) return registry({}, FieldAdmission::kAll);
  if (!done.fields.empty()) return registry(done.fields, FieldAdmission::kSettled);
  std::vector<std::string> names = NamesBefore(writer);
  if (!options.fields.empty()) {
    return registry(WithListed(options, std::move(names)), FieldAdmission::kSettled);
  }
  if (names.size() >= options.max_fields) return registry(names, FieldAdmission::kSettled);
  if (writer.build().has_value()) AddNames(writer.directory(), writer.build()->segments, names);
  if (!ReadsStandardInput(options)) return registry(names, FieldAdmission::kAll);
  if (options.inputs.size() > 1) {
    PMDEX_ASSIGN_OR_RETURN(
        names, ScanFieldNames(options, parameters, std::move(names), options.max_fields));
  }
  return registry(names, FieldAdmission::kInOrder);
}

absl::StatusOr<std::vector<std::string>> SettleFields(const IngestOptions& options,
                                                      const BuildParameters& parameters,
                                                      const IndexWriter& writer) {
  return ScanFieldNames(options, parameters, NamesBefore(writer), options.max_fields);
}

}  // namespace pmdex
