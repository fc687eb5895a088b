// The one bridge between std::string_view and Debian's absl::string_view, which is a type of its
// own. Views of the same bytes: nothing is copied.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace pmdex {

inline absl::string_view ToAbsl(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace pmdex
