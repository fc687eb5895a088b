// The instruction sets that this CPU and its operating system support. Modules with several kernels
// for one function choose among them by SimdLevel. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// Ascending: a CPU that runs a level also runs those before it. A family without kernels of a level
// uses those of the next lower level. The kernels of all levels give the same results.
enum class SimdLevel : uint8_t { kScalar, kAvx2, kAvx512 };
inline constexpr std::array kSimdLevels = {SimdLevel::kScalar, SimdLevel::kAvx2,
                                           SimdLevel::kAvx512};

struct CpuFeatures {
  bool sse42 = false;
  // True if the CPU has, and the operating system enables, all instructions that CMakeLists.txt
  // lets the compiler use in files named *_avx2.cc or *_avx512.cc.
  bool avx2 = false;    // AVX2, BMI1, BMI2, FMA, POPCNT and SSE4.2
  bool avx512 = false;  // avx2, and AVX-512 F, BW, VL, DQ, VBMI, VBMI2 and VPOPCNTDQ
  bool clflushopt = false;
  bool clwb = false;
};

// The registers from which CpuFeatures follow: some of CPUID, and XCR0. XCR0 says which register
// files the operating system saves; instructions that use others raise SIGILL.
struct CpuWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  uint64_t xcr0 = 0;
};

CpuFeatures FeaturesOf(const CpuWords& words);
const CpuFeatures& GetCpuFeatures();  // of this machine, found out once
// The best level whose kernels run on a CPU with these features.
SimdLevel BestSimdLevel(const CpuFeatures& features = GetCpuFeatures());
// True if this CPU runs the level.
inline bool IsUsable(SimdLevel level) {
  return level <= BestSimdLevel();
}
std::vector<SimdLevel> UsableSimdLevels();  // of this CPU, ascending

std::string_view ToString(SimdLevel level);  // "scalar", "avx2", "avx512"
// The level of this name; "auto" is the best one of this CPU. kInvalidArgument for other names and
// for a level that this CPU does not run.
absl::StatusOr<SimdLevel> ParseSimdLevel(std::string_view name);

}  // namespace pmdex
