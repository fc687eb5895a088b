// Converts between std::string_view and absl::string_view, which Debian builds as a type of its
// own. The views are of the same bytes; nothing is copied. No other file converts them.
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
