// Finds the names and types of fields in the order of the input: those of the sample, before a
// build begins, or those of all the input, where a build must know them. It passes once over the
// JSON files, in the order of the walk, and ends when it has found enough.
#pragma once

#include "engine/ingest/fields/field_collector.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/status.h"

namespace pmdex {

// Shows the documents of the files to the collector until that is done. Leaves standard input out.
// Passes over files and lines that cannot be read, which the build itself reports. Takes no more
// memory than the build. kCancelled once options.stop is set.
absl::Status ScanFields(const IngestOptions& options, const BuildParameters& parameters,
                        FieldCollector& collector);

}  // namespace pmdex
