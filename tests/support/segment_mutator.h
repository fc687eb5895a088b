// Turns a segment file into a hostile one: changes a few numbers where they stand, knowing the
// structs of format.h, to values that such numbers must not have. Checksums are left wrong
// (ResealSegment). And the segments to start from. For the fuzzer and for seeded tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/random_corpus.h"

namespace pmdex {

// Requires bytes of at least a header page; they keep their size. What the header and the section
// table say is not believed.
void MutateSegment(std::vector<std::byte>& bytes, SeededRandom& random);

// Sound segments of 6 to 24 KB: every representation, with and without positions and stored text,
// escapes and page marks, several term blocks, several blocks of postings.
inline constexpr size_t kSeedSegments = 5;
// Requires index < kSeedSegments.
std::vector<std::byte> MakeSeedSegment(size_t index);

}  // namespace pmdex
