#include "engine/analysis/word_kernel.h"

#include "pmem/check.h"

namespace pmdex {

WordKernels WordKernelsOf(SimdLevel level) {
  PMDEX_CHECK(IsUsable(level));
  if (level == SimdLevel::kAvx512) return Avx512WordKernels();
  return level == SimdLevel::kAvx2 ? Avx2WordKernels() : WordKernels{};
}

}  // namespace pmdex
