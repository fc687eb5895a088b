// Reads the file of `pmdex serve --config`: TOML with the names of the flags as keys, without their
// dashes. A flag that may repeat is a list. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct ConfigEntry {
  std::string key;                  // "listen"
  std::vector<std::string> values;  // as they would stand on the command line
  uint32_t line = 0;
};

// In the order of the file's keys. kInvalidArgument with the line if the text is not TOML in ASCII,
// or has a value that is neither text, number, truth value nor a list of these.
absl::StatusOr<std::vector<ConfigEntry>> ParseServeConfig(std::string_view text);

}  // namespace pmdex
