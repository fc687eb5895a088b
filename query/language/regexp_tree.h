// A regular expression as a tree. The parser makes it, and the automaton is built from it. A plain
// value.
#pragma once

#include <cstdint>
#include <vector>

namespace pmdex {

struct CharacterRange {
  uint32_t first = 0;
  uint32_t last = 0;

  bool operator==(const CharacterRange&) const = default;
};

// Characters are numbered as in code_points.h: Unicode first, then the stray bytes.
inline constexpr CharacterRange kAnyCharacter{0, 0x1100ff};

enum class RegexpKind {
  kNothing,        // matches no string
  kCharacter,      // one character of `ranges`
  kConcatenation,  // the parts one after the other; without parts the empty string
  kUnion,
  kIntersection,
  kRepetition,  // the only part, `least` to `most` times
  kComplement,  // every string that the only part does not match
  kInterval,    // a decimal number from `least` to `most`
};

struct RegexpTree {
  static constexpr uint32_t kUnlimited = 0xffffffff;

  RegexpKind kind = RegexpKind::kConcatenation;
  std::vector<CharacterRange> ranges;  // ascending, without overlap
  std::vector<RegexpTree> parts;
  uint32_t least = 0;
  uint32_t most = 0;    // kUnlimited: a repetition without an upper limit
  uint32_t digits = 0;  // interval: number of digits, leading zeros included; 0: any
  uint32_t depth = 1;   // of the tree; a leaf has 1
};

}  // namespace pmdex
