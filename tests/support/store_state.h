// Reads the state of an index on a file system without the program, for tests that kill the program
// or damage the index.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "pmem/status.h"

namespace pmdex {

// The number of documents of the newest generation that match the query. Returns kNotFound if there
// is no index.
absl::StatusOr<uint64_t> CountOf(const std::string& store, const std::string& query);

// The names of all files that the newest generation does not list, without the lock.
std::set<std::string> UnlistedFiles(const std::string& store);

// True if an unfinished build has segments in the newest generation.
bool HasUnfinishedWork(const std::string& store);

// The path of the manifest of the newest generation, or "" if there is none.
std::string NewestManifest(const std::string& store);

}  // namespace pmdex
