// Computes all checksums of a segment again after a test has changed its bytes, so that only
// structural checks can detect the change. Accepts any bytes; bytes that are no segment stay
// unchanged.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

// Writes the page checksums, the checksums of all sections and the checksum of the header page, as
// far as they lie inside `bytes`. Sets the size of kPageChecksums to that which the other sections
// require if so many bytes are there.
void ResealSegment(std::span<std::byte> bytes);

}  // namespace pmdex
