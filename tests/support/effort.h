// Long tests have two sizes. They are small by default, and full if PMDEX_TEST_EFFORT=full is set.
// `tools/test --full` sets it for its release run.
#pragma once

#include <cstdlib>
#include <string_view>

namespace pmdex {

inline bool IsFullEffort() {
  const char* effort = std::getenv("PMDEX_TEST_EFFORT");
  return effort != nullptr && std::string_view(effort) == "full";
}

template <typename T>
T ByEffort(T small, T full) {
  return IsFullEffort() ? full : small;
}

}  // namespace pmdex
