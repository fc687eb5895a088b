#include "pmem/cpu_features.h"

#include <cpuid.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

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

// Returns 0 if the operating system saves no register files.
uint64_t Xcr0(uint32_t leaf1_ecx) {
  if (!Bit(leaf1_ecx, 27)) return 0;  // OSXSAVE
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

CpuWords ReadWords() {
  const CpuidRegisters leaf1 = Cpuid(1);
  const CpuidRegisters leaf7 = Cpuid(7);
  return {leaf1.ecx, leaf7.ebx, leaf7.ecx, Xcr0(leaf1.ecx)};
}

}  // namespace

CpuFeatures FeaturesOf(const CpuWords& words) {
  const bool ymm = (words.xcr0 & 0x6) == 0x6;    // SSE and AVX
  const bool zmm = (words.xcr0 & 0xE6) == 0xE6;  // and opmask, both halves of ZMM
  const auto leaf1_ecx = [&](int bit) { return Bit(words.leaf1_ecx, bit); };
  const auto leaf7_ebx = [&](int bit) { return Bit(words.leaf7_ebx, bit); };
  const auto leaf7_ecx = [&](int bit) { return Bit(words.leaf7_ecx, bit); };
  CpuFeatures features;
  features.sse42 = leaf1_ecx(20);
  features.avx2 = ymm && features.sse42 && leaf1_ecx(12) && leaf1_ecx(23) && leaf1_ecx(28) &&
                  leaf7_ebx(3) && leaf7_ebx(5) && leaf7_ebx(8);
  features.avx512 = zmm && features.avx2 && leaf7_ebx(16) && leaf7_ebx(17) && leaf7_ebx(30) &&
                    leaf7_ebx(31) && leaf7_ecx(1) && leaf7_ecx(6) && leaf7_ecx(14);
  features.clflushopt = leaf7_ebx(23);
  features.clwb = leaf7_ebx(24);
  return features;
}

const CpuFeatures& GetCpuFeatures() {
  static const CpuFeatures features = FeaturesOf(ReadWords());
  return features;
}

SimdLevel BestSimdLevel(const CpuFeatures& features) {
  if (features.avx512) return SimdLevel::kAvx512;
  return features.avx2 ? SimdLevel::kAvx2 : SimdLevel::kScalar;
}

std::vector<SimdLevel> UsableSimdLevels() {
  std::vector<SimdLevel> levels;
  std::copy_if(kSimdLevels.begin(), kSimdLevels.end(), std::back_inserter(levels), IsUsable);
  return levels;
}

absl::StatusOr<SimdLevel> ParseSimdLevel(std::string_view name) {
  if (name == "auto") return BestSimdLevel();
  const auto* const found = std::find_if(kSimdLevels.begin(), kSimdLevels.end(),
                                         [&](SimdLevel level) { return ToString(level) == name; });
  if (found == kSimdLevels.end()) {
    return InvalidArgument("unknown; known are auto, scalar, avx2 and avx512");
  }
  if (IsUsable(*found)) return *found;
  return InvalidArgument("this CPU does not have it");
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
