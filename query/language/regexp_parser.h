// Regular expressions in the syntax of Lucene's RegExp, with all that the classic query parser
// allows in it:
//
//   .        any character            [a-z_] [^a-z]    one of these, any other
//   \d \w \s digit, word, space       \D \W \S         any other; \x another x: x itself
//   e? e* e+ e{3} e{3,} e{3,5}        ef  e|f  (e)  () empty
//   e&f      what both match          ~e               what e does not match
//   "text"   as it stands             @  any string    #  nothing
//   <7-42>   a decimal number; as many digits as both have, else any number of leading zeros
//
// An expression matches whole terms: `^` and `$` are ordinary characters. So is an operator where
// it has nothing to work on (`*a`), as in Lucene. A backslash before any other letter, and the name
// of an automaton (`<name>`), are errors.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "query/language/regexp_tree.h"

namespace pmdex {

// What is wrong with an expression, and where.
struct RegexpProblem {
  size_t offset = 0;  // bytes of the expression
  std::string what;
};

// Deeper trees and longer expressions are refused: what follows is recursive and costs memory.
inline constexpr uint32_t kMaxRegexpDepth = 64;
inline constexpr size_t kMaxRegexpBytes = 4096;

// nullopt: see problem.
std::optional<RegexpTree> ParseRegexp(std::string_view text, RegexpProblem& problem);

}  // namespace pmdex
