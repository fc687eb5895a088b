// The command `pmdex watch`: keeps an index true to directory trees.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/command.h"

namespace pmdex {

void AddWatchCommand(CLI::App& app, Invocation& invocation);

}  // namespace pmdex
