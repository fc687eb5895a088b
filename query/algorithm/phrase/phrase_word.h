// One word of a phrase in one segment: which posting list it has and where it stands.
#pragma once

#include <cstdint>

namespace pmdex {

struct PhraseWord {
  uint32_t number = 0;  // of the word in the phrase
  uint32_t term = 0;    // index of its posting list among the lists of the phrase
  uint32_t offset = 0;  // of the word in the phrase, in positions

  // How many positions it stands behind the other word; negative if before it.
  int32_t BehindOf(const PhraseWord& other) const {
    return static_cast<int32_t>(offset) - static_cast<int32_t>(other.offset);
  }
};

}  // namespace pmdex
