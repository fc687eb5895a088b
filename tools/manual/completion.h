// Makes scripts that complete the command line of pmdex in a shell: commands, options, and the
// values of options (words, files or directories).
#pragma once

#include <string>

#include "tools/command_reference.h"

namespace pmdex {

// program: the reference of the whole program. Each function returns a script.
std::string RenderBashCompletion(const CommandReference& program);
std::string RenderZshCompletion(const CommandReference& program);
std::string RenderFishCompletion(const CommandReference& program);

}  // namespace pmdex
