// The command `pmdex compare`: its flags, and what it does with them. run_pmdex.cc registers it.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/command.h"

namespace pmdex {

void AddCompareCommand(CLI::App& app, Invocation& invocation);

}  // namespace pmdex
