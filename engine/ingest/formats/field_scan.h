// Finds the names of fields in the order of the input, for a build whose input has more of them
// than an index may have. It passes once over the JSON files, in the order of the walk, and ends
// when it has found enough.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/status.h"

namespace pmdex {

// Returns `names` and, behind them, the new names of the files, up to `limit` in all. Leaves
// standard input out. Passes over files and lines that cannot be read, which the build itself
// reports. Takes no more memory than the build. kCancelled once options.stop is set.
absl::StatusOr<std::vector<std::string>> ScanFieldNames(const IngestOptions& options,
                                                        const BuildParameters& parameters,
                                                        std::vector<std::string> names,
                                                        size_t limit);

}  // namespace pmdex
