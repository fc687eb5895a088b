// Checks the names of files in a Directory, and the paths of directories. Every implementation of
// Directory calls it, so that a name that was read from a manifest cannot lead out of the
// directory. Pure; thread-safe.
#pragma once

#include <string_view>

#include "pmem/status.h"

namespace pmdex {

// Returns kInvalidArgument for an empty name, ".", "..", a name of more than 255 bytes, and a name
// with '/' or NUL in it.
absl::Status CheckFileName(std::string_view name);

// True for an absolute path in its shortest form: "/" before each part, no slash at the end, at
// most 4,095 bytes, and every part a name that CheckFileName accepts.
bool IsPlainAbsolutePath(std::string_view path);

}  // namespace pmdex
