#include "query/kernel/kernels.h"

#include "pmem/check.h"

namespace pmdex {

bool IsUsable(SimdLevel level) {
  const CpuFeatures& features = GetCpuFeatures();
  switch (level) {
    case SimdLevel::kScalar:
      return true;
    case SimdLevel::kAvx2:
      return features.avx2;
    case SimdLevel::kAvx512:
      return features.avx512;
  }
  return false;
}

const QueryKernels& QueryKernelsOf(SimdLevel level) {
  PMDEX_CHECK(IsUsable(level));
  if (level == SimdLevel::kAvx512) return Avx512QueryKernels();
  return level == SimdLevel::kAvx2 ? Avx2QueryKernels() : ScalarQueryKernels();
}

const QueryKernels& BestQueryKernels() {
  if (IsUsable(SimdLevel::kAvx512)) return Avx512QueryKernels();
  return IsUsable(SimdLevel::kAvx2) ? Avx2QueryKernels() : ScalarQueryKernels();
}

}  // namespace pmdex
