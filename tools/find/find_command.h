// The commands `pmdex find` and `pmdex du`: what find(1) and du(1) say of a tree, from an index of
// its files.
#pragma once

#include <string>
#include <vector>

#include "tools/command.h"

namespace pmdex {

// The words of `pmdex find` behind its own flags are those of find(1), which the parser of command
// lines must not see. Moves them from the arguments, of which the first one is "find", to the
// invocation.
void TakeFindWords(std::vector<std::string>& arguments, Invocation& invocation);

void AddFindCommand(CLI::App& app, Invocation& invocation);
void AddDuCommand(CLI::App& app, Invocation& invocation);

}  // namespace pmdex
