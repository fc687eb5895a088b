// What a file in a Directory may be called: one path component. Every implementation asks here, so
// that no name taken from a manifest can leave the directory. Pure; thread-safe.
#pragma once

#include <string_view>

#include "pmem/status.h"

namespace pmdex {

// kInvalidArgument for an empty name, ".", "..", more than 255 bytes, or one with '/' or NUL in it.
absl::Status CheckFileName(std::string_view name);

}  // namespace pmdex
