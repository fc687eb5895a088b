// The report that `pmdex index` prints at its end, as text or JSON.
#pragma once

#include <string>

#include "engine/ingest/ingest_report.h"
#include "engine/store/snapshot.h"
#include "engine/store/statistics.h"
#include "tools/profile/build_profile.h"

namespace pmdex {

// Prints the problems on stderr: by kind, with their number and the first few places.
void PrintIndexProblems(const IngestReport& report);

// Prints the report on standard output. path: of the index, as the user gave it. profiler: nullptr
// if the build was not profiled. json: as one document, else as text.
absl::Status PrintIndexReport(const IngestReport& report, const IndexStatistics& statistics,
                              const Snapshot& snapshot, const std::string& path,
                              const BuildProfiler* profiler, bool json);

}  // namespace pmdex
