// The fields that a build begins with: what of field_registry.h holds for its inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/resume/build_progress.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// Of a build that has begun, with what was done of it before. Reads the field tables of the index
// that is extended and of what the build has written before; where standard input is among several
// inputs also the others, whose names come first.
absl::StatusOr<std::unique_ptr<FieldRegistry>> OpenBuildFields(const IngestOptions& options,
                                                               const IndexWriter& writer,
                                                               const BuildProgress& done);

// The names that have a field, for a build whose fields have overflowed: those of the index that is
// extended, and then the first ones of the input.
absl::StatusOr<std::vector<std::string>> SettleFields(const IngestOptions& options,
                                                      const IndexWriter& writer);

}  // namespace pmdex
