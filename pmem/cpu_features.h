// What this CPU can do, asked once. The level decides which kernel of a family runs.
#pragma once

#include <string_view>

namespace pmdex {

enum class SimdLevel { kScalar, kAvx2, kAvx512 };

struct CpuFeatures {
  bool sse42 = false;
  bool avx2 = false;          // with BMI1, BMI2 and FMA, and enabled by the operating system
  bool avx512 = false;        // F, BW, VL, DQ, and enabled by the operating system
  bool avx512_vbmi2 = false;  // and VBMI: permutes and compresses bytes
  bool clflushopt = false;
  bool clwb = false;
};

const CpuFeatures& GetCpuFeatures();         // of this machine; thread-safe
SimdLevel BestSimdLevel();                   // the best level with kernels of ours
std::string_view ToString(SimdLevel level);  // "scalar", "avx2", "avx512"

}  // namespace pmdex
