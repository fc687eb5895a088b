// Reads everything of a segment file: dictionary, lists, positions, ids and stored text. It also
// runs all kinds of queries, and the verifier. It compares nothing. Fuzzers and sanitizers use it
// to detect reads outside the file, endless loops and crashes.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

// Reads a copy of the bytes that has the right length and checksums. Sanitizers detect reads behind
// its end. Returns false if it cannot be opened.
bool ExerciseHostileSegment(std::span<const std::byte> bytes);

}  // namespace pmdex
