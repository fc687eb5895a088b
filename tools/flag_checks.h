// Checks of flags that CLI11 does not bring. Stateless; thread-safe.
#pragma once

#include <CLI/CLI.hpp>

namespace pmdex {

// For Option::transform: a size such as 512M or 2GiB. CLI11 takes a negative number for a huge one.
CLI::Validator SizeValue();

// For Option::check: a shell variable that is not set must not choose the default in silence.
CLI::Validator NotEmpty();

}  // namespace pmdex
