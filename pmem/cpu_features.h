// What this CPU can do, asked once. The level decides which kernel of a family runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace pmdex {

enum class SimdLevel { kScalar, kAvx2, kAvx512 };

struct CpuFeatures {
  bool sse42 = false;
  // All that CMakeLists.txt lets the compiler use in files of this name, and enabled by the
  // operating system.
  bool avx2 = false;    // with BMI1, BMI2, FMA, POPCNT and SSE4.2
  bool avx512 = false;  // F, BW, VL, DQ, VBMI and VBMI2, on top of avx2
  bool clflushopt = false;
  bool clwb = false;
};

// What the CPU says of itself: registers of CPUID, and XCR0, the register files that the operating
// system saves. An instruction set that the CPU has but the kernel does not save raises SIGILL.
struct CpuWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  uint64_t xcr0 = 0;
};

CpuFeatures FeaturesOf(const CpuWords& words);
const CpuFeatures& GetCpuFeatures();  // of this machine; thread-safe
// The best level whose kernels these features run.
SimdLevel BestSimdLevel(const CpuFeatures& features = GetCpuFeatures());
std::string_view ToString(SimdLevel level);  // "scalar", "avx2", "avx512"

}  // namespace pmdex
