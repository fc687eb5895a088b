// The flag --simd of the commands that run vector kernels.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "pmem/cpu_features.h"
#include "pmem/status.h"

namespace pmdex {

// Adds --simd. `name` holds its default, "auto", and outlives the parsing.
CLI::Option* AddSimdFlag(CLI::App& command, std::string& name);

// The level that the flag names. kInvalidArgument, with the command in the message, if this CPU
// does not run it.
absl::StatusOr<SimdLevel> SimdLevelNamed(std::string_view command, const std::string& name);

}  // namespace pmdex
