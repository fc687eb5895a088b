// Saves how often queries searched each segment, for `pmdex tier`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pmem/status.h"

namespace pmdex {

// Adds the counts, keyed by segment id, to the heat in a new generation of the index. Does nothing
// if there are none. Returns kUnavailable while another process writes to the index, and
// kFailedPrecondition while a build is unfinished, which this must not drop.
absl::Status SaveHeat(const std::string& index, const std::map<uint64_t, uint64_t>& queries);

}  // namespace pmdex
