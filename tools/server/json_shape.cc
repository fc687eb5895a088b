#include "tools/server/json_shape.h"

#include <algorithm>

namespace pmdex {

JsonShape ShapeOfJson(std::string_view text) {
  JsonShape shape;
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      shape.deepest = std::max(shape.deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    } else if (c == ':') {
      ++shape.members;
    }
  }
  return shape;
}

}  // namespace pmdex
