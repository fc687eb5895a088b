// Chooses the fields that a build begins with, and how it admits others (field_registry.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/resume/build_progress.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// The registry of a build that has begun; `done` is what earlier runs did of it. Reads the field
// tables of the index that the build extends and of the segments that it has written. If standard
// input is one of several inputs, reads the other inputs too, because their names come first.
absl::StatusOr<std::unique_ptr<FieldRegistry>> OpenBuildFields(const IngestOptions& options,
                                                               const BuildParameters& parameters,
                                                               const IndexWriter& writer,
                                                               const BuildProgress& done);

// The names that have a field of their own, for a build that met more names than an index may have:
// those of the index that the build extends, then the first ones of the input.
absl::StatusOr<std::vector<std::string>> SettleFields(const IngestOptions& options,
                                                      const BuildParameters& parameters,
                                                      const IndexWriter& writer);

}  // namespace pmdex
