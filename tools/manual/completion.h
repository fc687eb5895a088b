// Completion of pmdex's command line in shells: commands, options, the words that an option takes,
// and files or directories where it takes those.
#pragma once

#include <string>

#include "tools/command_reference.h"

namespace pmdex {

// `program`: the reference of the whole program. Each returns a script.
std::string RenderBashCompletion(const CommandReference& program);
std::string RenderZshCompletion(const CommandReference& program);
std::string RenderFishCompletion(const CommandReference& program);

}  // namespace pmdex
