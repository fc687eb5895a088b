// Long tests have two sizes. They are small by default, and full if PMDEX_TEST_EFFORT=full is set.
// `tools/test --full` sets it for its release run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace pmdex {

inline bool IsFullEffort() {
  const char* effort = std::getenv("PMDEX_TEST_EFFORT");
  return effort != nullptr && std::string_view(effort) == "full";
}

// True in builds with a sanitizer. They run slowly what looks for wrong answers, which the other
// builds find, and need only so much of it that they pass through all code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// What a person asks for who runs a test by hand, as PMDEX_KILLS=1000.
inline uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// How often a test with random input repeats that usually does it so many times.
constexpr int Rounds(int usual) {
  return kIsSanitized ? (usual + 15) / 16 : usual;
}

template <typename T>
T ByEffort(T small, T full) {
  return IsFullEffort() ? full : small;
}

}  // namespace pmdex
