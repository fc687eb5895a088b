// The names of fields in the order of the input, for a build that meets more of them than an index
// may have: one pass over the JSON files in the order of the walk, which ends where enough are
// found.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

// `names`, which are counted first, and behind them what the files add, up to `limit` in all.
// Standard input is left out. Files and lines that cannot be read add nothing: the build itself
// says so. Takes no more memory than the build. kCancelled once options.stop is set.
absl::StatusOr<std::vector<std::string>> ScanFieldNames(const IngestOptions& options,
                                                        std::vector<std::string> names,
                                                        size_t limit);

}  // namespace pmdex
