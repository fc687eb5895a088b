// Makes the manual page of a command, in the man(7) macros.
#pragma once

#include <string>

#include "tools/command_reference.h"

namespace pmdex {

// The name of the page's file: "pmdex-index.1" for "pmdex index".
std::string ManPageName(const CommandReference& command);

// version: of the program, for the page's footer.
std::string RenderManPage(const CommandReference& command, const std::string& version);

}  // namespace pmdex
