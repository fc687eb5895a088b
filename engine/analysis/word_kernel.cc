#include "engine/analysis/word_kernel.h"

#include "pmem/check.h"
#include "pmem/cpu_features.h"

namespace pmdex {

std::string_view ToString(TokenizerPath path) {
  switch (path) {
    case TokenizerPath::kReference:
      return "reference";
    case TokenizerPath::kScalar:
      return "scalar";
    case TokenizerPath::kAvx2:
      return "avx2";
    case TokenizerPath::kAvx512:
      return "avx512";
  }
  return "unknown";
}

TokenizerPath BestTokenizerPath() {
  const CpuFeatures& features = GetCpuFeatures();
  if (features.avx512) return TokenizerPath::kAvx512;
  return features.avx2 ? TokenizerPath::kAvx2 : TokenizerPath::kScalar;
}

std::vector<TokenizerPath> UsableTokenizerPaths() {
  std::vector<TokenizerPath> paths = {TokenizerPath::kReference};
  for (const TokenizerPath path :
       {TokenizerPath::kScalar, TokenizerPath::kAvx2, TokenizerPath::kAvx512}) {
    if (path <= BestTokenizerPath()) paths.push_back(path);
  }
  return paths;
}

WordKernels WordKernelsOf(TokenizerPath path) {
  PMDEX_CHECK(path <= BestTokenizerPath());
  if (path == TokenizerPath::kAvx512) return Avx512WordKernels();
  return path == TokenizerPath::kAvx2 ? Avx2WordKernels() : WordKernels{};
}

}  // namespace pmdex
