// What the live documents of an index hold, read through its segments without any query.
#pragma once

#include <map>
#include <string>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The stored text of each live document by its id, without that of the field `path`. kDataLoss if a
// segment is quarantined or damaged, and kAlreadyExists if two live documents have an id.
absl::StatusOr<std::map<std::string, std::string>> ReadLiveDocuments(const Snapshot& snapshot);
absl::StatusOr<std::map<std::string, std::string>> ReadLiveDocuments(const Directory& directory);

}  // namespace pmdex
