// The vector kernels of the tokenizers: they take words of ASCII from a text, 64 bytes at a time.
// They leave what they cannot decide to the tokenizer (tokenizer.h). The tokens do not depend on
// the kernel.
//
// A kernel has no state and writes to nothing but the batch that it is given.
#pragma once

#include "engine/analysis/token_batch.h"
#include "pmem/cpu_features.h"

namespace pmdex {

// Commits words from p on and returns where it stopped:
//   - at end;
//   - before a chunk that the batch has no room for;
//   - at the begin of a word that takes more than ASCII, or more than 63 bytes, to decide;
//   - at a byte >= 0x80.
// Requires that p, within text..end, is a word border and that the batch is not full. Reads only
// p..end.
using WordKernel = const char* (*)(TokenCursor& at, const char* text, const char* p,
                                   const char* end);

struct WordKernels {
  WordKernel standard = nullptr;  // StandardAscii, and so on (ascii_rules.h)
  WordKernel log = nullptr;
  WordKernel whitespace = nullptr;
};

WordKernels Avx2WordKernels();
WordKernels Avx512WordKernels();

// The kernels of a level: null at kScalar, where the tokenizer takes words itself. Requires
// IsUsable(level).
WordKernels WordKernelsOf(SimdLevel level);

}  // namespace pmdex
