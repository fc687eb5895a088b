// Presents the profile of a running process as text, JSON and HTML. Thread-safe: no state.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/profile/process_profile.h"

namespace pmdex {

std::string ProcessProfileToText(const ProcessProfile& profile);
std::string ProcessProfileToJson(const ProcessProfile& profile);
// Writes report.html and report.json.
absl::Status WriteProcessReport(const ProcessProfile& profile, const std::string& directory);

}  // namespace pmdex
