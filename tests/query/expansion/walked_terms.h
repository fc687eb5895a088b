// The terms near a word that a walk of the dictionary finds (FuzzyTerms): the oracle of the ways
// that find them without a walk. The walk has an oracle of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gtest/gtest.h"

#include "query/expansion/fuzzy_terms.h"
#include "tests/query/expansion/segment_of_terms.h"

namespace pmdex {

using TermDistances = std::map<std::string, uint32_t>;

// Those of the field kFieldOfTerms that begin with `prefix`, with their distances.
inline TermDistances WalkedTerms(const Segment& segment, const FuzzyAutomaton& automaton,
                                 const std::string& prefix) {
  DeadlineWatch watch(kNoDeadline);
  FuzzyTerms walk(segment.dictionary(), kFieldOfTerms, automaton, watch);
  TermDistances found;
  while (walk.Next()) {
    if (walk.term().starts_with(prefix)) found[std::string(walk.term())] = walk.distance();
  }
  EXPECT_TRUE(walk.status().ok());
  return found;
}

}  // namespace pmdex
