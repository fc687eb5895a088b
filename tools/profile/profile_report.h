// Presents a profile: tables on a terminal, and one HTML page with plots. Thread-safe: no state.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// The readable form, with a newline at its end.
std::string ProfileToText(const ProfileResult& result);

// Writes report.html, report.json, the plots and flame graphs into the directory, which it makes if
// it is missing.
absl::Status WriteProfileReport(const ProfileResult& result, const std::string& directory);

}  // namespace pmdex
