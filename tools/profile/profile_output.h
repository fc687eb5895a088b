// Presents the result of a profile: as JSON, as text, and as an HTML page. Thread-safe: no state.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// One JSON document. A metric that was not measured has no key.
std::string ProfileToJson(const ProfileResult& result);

std::string ProfileToText(const ProfileResult& result);

// A page that needs no network: the tables of the text and a flame graph of the samples.
std::string ProfileToHtml(const ProfileResult& result);

// Writes profile.json and profile.html into the directory, which is made if it is missing.
absl::Status WriteProfile(const ProfileResult& result, const std::string& directory);

}  // namespace pmdex
