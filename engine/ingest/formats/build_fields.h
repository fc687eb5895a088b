// Chooses the fields that a build begins with, and how it admits others (field_registry.h).
#pragma once

#include <memory>
#include <string>

#include "engine/ingest/fields/known_fields.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/resume/build_progress.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

struct BuildFields {
  std::unique_ptr<FieldRegistry> registry;
  std::string input_begin;  // what was read of standard input, which the build reads first
};

// The fields of a build that has begun; `done` is what earlier runs did of it. The types come, in
// this order, from the index that the build extends, from the schema of the options, and from the
// sample: the first documents of the JSON input. Reads the field tables of the segments that are
// there. If standard input is one of several inputs, reads the other inputs too, because their
// fields come first. Returns kFailedPrecondition if the schema gives a field of the index another
// type.
absl::StatusOr<BuildFields> OpenBuildFields(const IngestOptions& options,
                                            const BuildParameters& parameters,
                                            const IndexWriter& writer, const BuildProgress& done);

// The fields of the index as it is published, with their types. Reads the field tables of its
// segments.
KnownFields FieldsOfIndex(const IndexWriter& writer);

// All fields of a build whose registry has overflowed: those of the index that it extends, then the
// first ones of the input, with their types.
absl::StatusOr<KnownFields> SettleFields(const IngestOptions& options,
                                         const BuildParameters& parameters,
                                         const IndexWriter& writer);

}  // namespace pmdex
