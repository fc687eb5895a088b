// What --help prints of a command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/command_reference.h"

namespace pmdex {

// The part of a description that fits into a menu: up to the first colon, semicolon, parenthesis
// or full stop.
std::string ShortDescription(std::string_view description);

// Appends the words of `text`, broken at `width` columns; lines but the first are indented. The
// first one goes on at `column`. Ends with a line end.
void AppendFilled(std::string_view text, size_t column, size_t indent, size_t width,
                  std::string& out);

// What --help prints.
std::string RenderHelp(const CommandReference& command);

}  // namespace pmdex
