#include "query/kernel/kernels.h"

#include "pmem/check.h"

namespace pmdex {

const QueryKernels& QueryKernelsOf(SimdLevel level) {
  PMDEX_CHECK(IsUsable(level));
  if (level == SimdLevel::kAvx512) return Avx512QueryKernels();
  return level == SimdLevel::kAvx2 ? Avx2QueryKernels() : ScalarQueryKernels();
}

const QueryKernels& BestQueryKernels() {
  return QueryKernelsOf(BestSimdLevel());
}

}  // namespace pmdex
