// How deep a JSON text nests, found without parsing it: a small body of a request can name millions
// of arrays inside each other, which take much memory once they are parsed. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace pmdex {

struct JsonShape {
  size_t deepest = 0;  // brackets inside each other
  size_t members = 0;  // of all objects together
};

// Right for valid JSON. What it says of other text has no meaning; a parser refuses it.
JsonShape ShapeOfJson(std::string_view text);

}  // namespace pmdex
