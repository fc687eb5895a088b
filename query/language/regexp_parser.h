// Parses regular expressions in the syntax of Lucene's RegExp, with every option that the classic
// query parser enables:
//
//   .        any character            [a-z_] [^a-z]    one of these, any other
//   \d \w \s digit, word, space       \D \W \S         any other; other escapes: the character
//   e? e* e+ e{3} e{3,} e{3,5}        ef  e|f  (e)  () empty
//   e&f      what both match          ~e               what e does not match
//   "text"   literal text             @  any string    #  no string
//   <7-42>   a decimal number; if both bounds have the same number of digits, the number has as
//            many, else any number of leading zeros is allowed
//
// An expression matches whole terms, so `^` and `$` are ordinary characters. An operator without an
// operand (`*a`) is an ordinary character, too, as in Lucene. A backslash before any other letter
// and the name of an automaton (`<name>`) are errors.
//
// Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "query/language/regexp_tree.h"

namespace pmdex {

// What is wrong with an expression, and where.
struct RegexpProblem {
  size_t offset = 0;  // in bytes from the start of the expression
  std::string what;
};

// Deeper trees and longer expressions are refused, because the parser and the construction of the
// automaton recurse and cost memory.
inline constexpr uint32_t kMaxRegexpDepth = 64;
inline constexpr size_t kMaxRegexpBytes = 4096;

// Returns nullopt and fills in `problem` if the expression is wrong.
std::optional<RegexpTree> ParseRegexp(std::string_view text, RegexpProblem& problem);

}  // namespace pmdex
