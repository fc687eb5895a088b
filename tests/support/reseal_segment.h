// Makes every checksum of a segment's bytes right again after they were changed, so that only
// structural checks are left to notice. Takes bytes of any kind; those that are no segment stay as
// they are.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

// Sets right, as far as they lie inside the bytes: the page checksums (their section takes the size
// that the others ask for when that fits), the checksums of all sections, and that of the header
// page.
void ResealSegment(std::span<std::byte> bytes);

}  // namespace pmdex
