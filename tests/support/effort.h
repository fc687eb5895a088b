// Tests that take long have two sizes: small by default, full where PMDEX_TEST_EFFORT=full is set,
// as `tools/test --full` does for its release run.
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
