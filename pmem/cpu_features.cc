#include "pmem/cpu_features.h"

#include <cpuid.h>

#include <cstdint>

namespace pmdex {
namespace {

struct CpuidRegisters {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters Cpuid(uint32_t leaf) {
  CpuidRegisters r;
  if (__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

bool Bit(uint32_t word, int bit) {
  return ((word >> bit) & 1) != 0;
}

// Which register files the operating system saves (XCR0). An instruction set that the CPU has but
// the kernel does not save raises SIGILL.
uint64_t EnabledStates(const CpuidRegisters& leaf1) {
  if (!Bit(leaf1.ecx, 27)) return 0;  // OSXSAVE
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

CpuFeatures Detect() {
  const CpuidRegisters leaf1 = Cpuid(1);
  const CpuidRegisters leaf7 = Cpuid(7);
  const uint64_t states = EnabledStates(leaf1);
  const bool ymm = (states & 0x6) == 0x6;    // SSE and AVX
  const bool zmm = (states & 0xE6) == 0xE6;  // and opmask, both halves of ZMM
  CpuFeatures features;
  features.sse42 = Bit(leaf1.ecx, 20);
  features.avx2 = ymm && Bit(leaf1.ecx, 28) && Bit(leaf1.ecx, 12) && Bit(leaf7.ebx, 3) &&
                  Bit(leaf7.ebx, 5) && Bit(leaf7.ebx, 8);
  features.avx512 = zmm && features.avx2 && Bit(leaf7.ebx, 16) && Bit(leaf7.ebx, 17) &&
                    Bit(leaf7.ebx, 30) && Bit(leaf7.ebx, 31);
  features.avx512_vbmi2 = features.avx512 && Bit(leaf7.ecx, 1) && Bit(leaf7.ecx, 6);
  features.clflushopt = Bit(leaf7.ebx, 23);
  features.clwb = Bit(leaf7.ebx, 24);
  return features;
}

}  // namespace

const CpuFeatures& GetCpuFeatures() {
  static const CpuFeatures features = Detect();
  return features;
}

SimdLevel BestSimdLevel() {
  const CpuFeatures& features = GetCpuFeatures();
  if (features.avx512) return SimdLevel::kAvx512;
  if (features.avx2) return SimdLevel::kAvx2;
  return SimdLevel::kScalar;
}

std::string_view ToString(SimdLevel level) {
  switch (level) {
    case SimdLevel::kScalar:
      return "scalar";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512:
      return "avx512";
  }
  return "scalar";
}

}  // namespace pmdex
