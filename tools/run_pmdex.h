// The command line of pmdex.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/command.h"

namespace pmdex {

// Declares every command and flag of the program. Parsing puts what is to be done into the
// invocation, which outlives the app.
void DefineCommandLine(CLI::App& app, Invocation& invocation);

// Runs the whole program: what main does. Returns the exit status.
int RunPmdex(int argc, const char* const* argv);

}  // namespace pmdex
