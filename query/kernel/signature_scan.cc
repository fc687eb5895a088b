#include "query/kernel/signature_scan.h"

namespace pmdex {

void ScanSignaturesScalar(const SignatureScan& scan, uint16_t* near, uint16_t* far) {
  for (size_t block = 0; block < scan.block_count; ++block) {
    uint32_t one = 0;
    uint32_t two = 0;
    for (uint32_t i = 0; i < kTermsPerBlock; ++i) {
      const int edits = LeastEdits(scan.word, scan.blocks[block].of_term[i]);
      one |= uint32_t{edits <= 1} << i;
      two |= uint32_t{edits == 2} << i;
    }
    near[block] = static_cast<uint16_t>(one);
    far[block] = static_cast<uint16_t>(two);
  }
}

void FindClassesScalar(const ClassScan& scan, uint16_t* masks) {
  for (size_t block = 0; block < scan.block_count; ++block) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < kTermsPerBlock; ++i) {
      const TermSignature term = scan.blocks[block].of_term[i];
      mask |= uint32_t{(term & scan.classes) == scan.classes} << i;
    }
    masks[block] = static_cast<uint16_t>(mask);
  }
}

}  // namespace pmdex
