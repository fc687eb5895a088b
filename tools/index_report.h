// The report that `pmdex index` prints at its end, as text or JSON.
#pragma once

#include <string>

#include "engine/ingest/ingest_report.h"
#include "engine/store/snapshot.h"
#include "engine/store/statistics.h"

namespace pmdex {

// Prints the problems on stderr: by kind, with their number and the first few places.
void PrintIndexProblems(const IngestReport& report);

// path: of the index, as the user gave it.
void PrintIndexJson(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path);
void PrintIndexText(const IngestReport& report, const IndexStatistics& statistics,
                    const Snapshot& snapshot, const std::string& path);

}  // namespace pmdex
