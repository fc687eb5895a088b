// What `pmdex index --merge` does once the build is published. Stateless.
#pragma once

#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/store/merging/merge_index.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Merges small segments, as `pmdex merge` without flags does. Nobody else may write to the index.
// stop: ends it; merges that are done stay. Returns the errors of IndexWriter::Open and MergeIndex.
absl::StatusOr<MergeReport> MergeAfterBuild(Directory& directory, const StopFlag& stop);

}  // namespace pmdex
