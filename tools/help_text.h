// The text that --help prints for a command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/command_reference.h"

namespace pmdex {

// The first part of a description, for the menus of shells: up to the first colon, semicolon,
// parenthesis or full stop.
std::string ShortDescription(std::string_view description);

// Appends `text` wrapped at `width` columns, and a newline at its end. The first line starts at
// `column` of the current line; the others are indented by `indent` spaces.
void AppendFilled(std::string_view text, size_t column, size_t indent, size_t width,
                  std::string& out);

// The whole text of --help.
std::string RenderHelp(const CommandReference& command);

}  // namespace pmdex
