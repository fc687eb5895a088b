// A manual page of a command, in the man(7) macros.
#pragma once

#include <string>

#include "tools/command_reference.h"

namespace pmdex {

// The page's file: "pmdex-index.1" of "pmdex index".
std::string ManPageName(const CommandReference& command);

// `version`: of the program.
std::string RenderManPage(const CommandReference& command, const std::string& version);

}  // namespace pmdex
