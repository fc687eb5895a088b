// Modes of files as text: the argument of find's -perm, and the letters of `ls -l`. Plain values
// and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pmdex {

// -perm MODE: exactly these bits; -perm -MODE: at least these; -perm /MODE: one of these, or any
// mode if there are none.
struct ModeTest {
  enum class Kind : uint8_t { kExactly, kAllOf, kAnyOf };
  Kind kind = Kind::kExactly;
  uint32_t bits = 0;
  uint32_t directory_bits = 0;  // for directories, because of X

  // For what is no directory.
  bool Holds(uint32_t mode) const;
  ModeTest ForDirectories() const { return {kind, directory_bits, directory_bits}; }
};

// Octal, or as chmod takes it: "u+w,g=rx". nullopt if it is neither.
std::optional<ModeTest> ParseModeTest(std::string_view text);

// "drwxr-xr-t"; type as of find.
std::string ModeLetters(char type, uint32_t mode);

}  // namespace pmdex
