// What a store on a file system holds, asked without the program: for tests that do violence to it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "pmem/status.h"

namespace pmdex {

// Documents of the newest generation that match the query. kNotFound: there is no index.
absl::StatusOr<uint64_t> CountOf(const std::string& store, const std::string& query);

// Names of files that the newest generation does not list, the lock aside.
std::set<std::string> UnlistedFiles(const std::string& store);

// Whether an unfinished build has segments in the newest generation.
bool HasUnfinishedWork(const std::string& store);

// Path of the newest generation's manifest. Empty: there is none.
std::string NewestManifest(const std::string& store);

}  // namespace pmdex
