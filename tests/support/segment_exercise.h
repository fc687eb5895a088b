// Reads a segment file as everything in pmdex together would: dictionary, lists, positions, ids,
// stored text, queries of every kind, the verifier. Nothing is compared; that nothing reads outside
// the file, runs for ever or ends the process is what the caller (a fuzzer, a sanitizer) looks for.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

// Gives the file its length and all its checksums first, in a copy that ends where a step beyond is
// seen. False: it did not open.
bool ExerciseHostileSegment(std::span<const std::byte> bytes);

}  // namespace pmdex
