// Makes hostile segment files for the fuzzer and for tests. It changes a few members of the structs
// of format.h in sound segments to values that they must not have. It does not correct checksums
// (ResealSegment does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/random_corpus.h"

namespace pmdex {

// Changes `bytes` in place. Requires at least a header page. Any header and section table are
// allowed.
void MutateSegment(std::vector<std::byte>& bytes, SeededRandom& random);

// Sound segments of 6 to 60 KB, with and without positions, stored text and columns. They have
// lists of every representation, escapes, page marks, and several blocks of terms and of postings.
inline constexpr size_t kSeedSegments = 10;
// Requires index < kSeedSegments.
std::vector<std::byte> MakeSeedSegment(size_t index);

}  // namespace pmdex
