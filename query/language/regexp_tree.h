// A regular expression as a tree: what the parser makes and the automaton is built from. A value.
#pragma once

#include <cstdint>
#include <vector>

namespace pmdex {

struct CharacterRange {
  uint32_t first = 0;
  uint32_t last = 0;

  bool operator==(const CharacterRange&) const = default;
};

// Characters as in code_points.h: Unicode, then the stray bytes.
inline constexpr CharacterRange kAnyCharacter{0, 0x1100ff};

enum class RegexpKind {
  kNothing,        // matches no string
  kCharacter,      // one character of `ranges`
  kConcatenation,  // the parts one after the other; without parts the empty string
  kUnion,
  kIntersection,
  kRepetition,  // of the only part, from `least` to `most` times
  kComplement,  // every string that the only part does not match
  kInterval,    // a decimal number from `least` to `most`
};

struct RegexpTree {
  static constexpr uint32_t kUnlimited = 0xffffffff;

  RegexpKind kind = RegexpKind::kConcatenation;
  std::vector<CharacterRange> ranges;  // ascending, apart from one another
  std::vector<RegexpTree> parts;
  uint32_t least = 0;
  uint32_t most = 0;    // repetition: or kUnlimited
  uint32_t digits = 0;  // interval: of the number, with leading zeros; 0: any number of zeros
  uint32_t depth = 1;   // of the tree
};

}  // namespace pmdex
