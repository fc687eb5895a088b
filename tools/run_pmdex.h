// The command line of pmdex.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/command.h"

namespace pmdex {

// Declares every command and flag of the program on the app. Parsing then sets invocation.run, so
// the invocation must outlive the app.
void DefineCommandLine(CLI::App& app, Invocation& invocation);

// Runs the whole program; main only calls this. Returns the exit status.
int RunPmdex(int argc, const char* const* argv);

}  // namespace pmdex
