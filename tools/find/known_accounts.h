// Which names -user and -group may have.
#pragma once

#include <string>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/files/entry_reader.h"

namespace pmdex {

// OK if the account of an entry of the index had this name, or if this machine has a user or group
// of this name. Otherwise kNotFound, in the words of find(1). attribute: kUser or kGroup.
// kDataLoss if a segment is damaged.
absl::Status CheckAccount(const Snapshot& snapshot, FileAttribute attribute,
                          const std::string& name);

}  // namespace pmdex
