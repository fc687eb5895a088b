// What `pmdex index` tells when it is done, to people and to programs.
#pragma once

#include <string>

#include "engine/ingest/ingest_report.h"
#include "engine/store/snapshot.h"
#include "engine/store/statistics.h"

namespace pmdex {

// Problems by kind with their first places, on stderr.
void PrintIndexProblems(const IngestReport& report);

// `path`: of the index, as it was given.
void PrintIndexJson(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path);
void PrintIndexText(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path);

}  // namespace pmdex
