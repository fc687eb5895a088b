// The kernels that compare the signatures of many terms with that of a word
// (QueryKernels::scan_signatures) and with required characters (QueryKernels::find_classes), once
// for each instruction set. Stateless, thread-safe.
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

struct ClassScan {
  const BlockSignatures* blocks = nullptr;
  size_t block_count = 0;
  TermSignature classes = 0;  // ClassesOf
};

// near, far: a mask for each block, with a bit for each term. `near` has the terms that are at most
// one edit from the word by LeastEdits, `far` those that are two edits from it.
void ScanSignaturesScalar(const SignatureScan& scan, uint16_t* near, uint16_t* far);
// Requires CpuFeatures::avx2.
void ScanSignaturesAvx2(const SignatureScan& scan, uint16_t* near, uint16_t* far);
// Requires CpuFeatures::avx512.
void ScanSignaturesAvx512(const SignatureScan& scan, uint16_t* near, uint16_t* far);

// masks: one for each block, with a bit for each term that has a character of each class.
void FindClassesScalar(const ClassScan& scan, uint16_t* masks);
// Requires CpuFeatures::avx2.
void FindClassesAvx2(const ClassScan& scan, uint16_t* masks);
// Requires CpuFeatures::avx512.
void FindClassesAvx512(const ClassScan& scan, uint16_t* masks);

}  // namespace pmdex
