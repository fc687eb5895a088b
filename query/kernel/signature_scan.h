// The kernel that compares the signature of a word with those of many terms
// (QueryKernels::scan_signatures), once for each instruction set. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/segment/dictionary/term_signature.h"

namespace pmdex {

struct SignatureScan {
  const BlockSignatures* blocks = nullptr;
  size_t block_count = 0;
  TermSignature word = 0;
};

// near, far: a mask for each block, with a bit for each term. `near` has the terms that are at most
// one edit from the word by LeastEdits, `far` those that are two edits from it.
void ScanSignaturesScalar(const SignatureScan& scan, uint16_t* near, uint16_t* far);
// Requires CpuFeatures::avx2.
void ScanSignaturesAvx2(const SignatureScan& scan, uint16_t* near, uint16_t* far);
// Requires CpuFeatures::avx512.
void ScanSignaturesAvx512(const SignatureScan& scan, uint16_t* near, uint16_t* far);

}  // namespace pmdex
