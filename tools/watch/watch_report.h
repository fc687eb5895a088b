// The report of `pmdex watch`, as text or JSON. Stateless.
#pragma once

#include <string>

#include "tools/watch/watch_session.h"

namespace pmdex {

// One JSON document: the counts of documents, and without `once` what the watch has measured.
std::string WatchReportJson(const WatchReport& report, bool once);
// "3 added, 1 updated, 0 renamed, 2 removed", and the lag if there is one.
std::string WatchReportText(const WatchReport& report);

}  // namespace pmdex
