// What `pmdex index --tune` does before the build: measures, chooses, says so, and puts the
// evidence into the index.
#pragma once

#include "engine/ingest/ingest_options.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"
#include "tools/tuning_flags.h"

namespace pmdex {

// Changes the options to what was chosen. Without --tune it only sees to it that the index keeps no
// evidence of an earlier build; one that goes on with an unfinished build is not tuned. A sample
// that cannot be had or measured is a warning, and the options stay. Works in a scratch directory
// inside the index, on its medium, and removes those that killed writers left.
absl::Status TuneBuild(const TuningFlags& flags, bool quiet, IngestOptions& options,
                       IndexWriter& writer);

}  // namespace pmdex
