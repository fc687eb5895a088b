// Checks of flags that CLI11 does not bring. Stateless; thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "pmem/status.h"

namespace pmdex {

// For Option::transform: a size such as 512M or 2GiB. CLI11 takes a negative number for a huge one.
CLI::Validator SizeValue();

// For Option::check: a shell variable that is not set must not choose the default in silence.
CLI::Validator NotEmpty();

// Defines --mode.
void AddModeFlag(CLI::App& command, std::string& mode);
// "0640" as a number: who may read, and write, the files of an index. Its owner always may.
absl::StatusOr<uint32_t> ParseFileMode(const std::string& text);

}  // namespace pmdex
