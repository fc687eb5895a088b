// Checks the names of files in a Directory. Every implementation of Directory calls it, so that a
// name that was read from a manifest cannot lead out of the directory. Pure; thread-safe.
#pragma once

#include <string_view>

#include "pmem/status.h"

namespace pmdex {

// Returns kInvalidArgument for an empty name, ".", "..", a name of more than 255 bytes, and a name
// with '/' or NUL in it.
absl::Status CheckFileName(std::string_view name);

}  // namespace pmdex
