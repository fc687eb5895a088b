// The vector paths of the tokenizers: kernels that take words of ASCII from a text a chunk of 64
// bytes at a time, and which of them this CPU runs. What they cannot decide they leave to the
// tokenizer (tokenizer.h); whatever the path, the tokens are the same.
//
// A kernel has no state; it writes to the batch it is given and to nothing else.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/analysis/token_batch.h"

namespace pmdex {

// kReference sends every word through its scanner; the others are there to equal it.
enum class TokenizerPath : uint8_t { kReference, kScalar, kAvx2, kAvx512 };

std::string_view ToString(TokenizerPath path);
TokenizerPath BestTokenizerPath();                  // what this CPU runs fastest
std::vector<TokenizerPath> UsableTokenizerPaths();  // what it runs at all, the best one last

// Commits words from p on and returns where it stopped: at end, before a chunk that the batch has
// no room for, or at the begin of a word that takes more than ASCII or 63 bytes to decide, or at a
// byte >= 0x80. Requires: p, within text..end, is a word border; the batch is not full. Reads only
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

// The kernels of a path; none of kReference and kScalar. Requires: the path is usable.
WordKernels WordKernelsOf(TokenizerPath path);

}  // namespace pmdex
