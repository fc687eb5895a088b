// Which phase of a query a function belongs to. The phases alternate for every window of documents
// and are shorter than a read of the counters, so they are told by the code that runs, not by marks
// in it. Thread-safe: no state.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pmdex {

// The names of all phases, in the order of a query: "parse", "dictionary", "bounds", "candidates",
// "scoring", "positions", "top k", "ids", "indexing", "waiting", "other".
std::span<const std::string_view> PhaseNames();

// The phase of a function, by its name without parameters (ShortFunctionName). "other" for what
// belongs to none, such as functions of the C library.
std::string_view PhaseOfFunction(std::string_view function);

// The phase of a sample: that of the innermost function that has one, so that what runs in the C
// library counts for its caller. functions: the outermost caller first. "other" if none has one.
std::string_view PhaseOfStack(std::span<const std::string> functions);

}  // namespace pmdex
