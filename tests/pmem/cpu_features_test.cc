#include "pmem/cpu_features.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace cpu_features_test {

// The kernel lists an extension only if the CPU has it and the kernel saves its registers.
bool KernelLists(const std::string& flag) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == flag) return true;
    }
    return false;
  }
  return false;
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const CpuFeatures& features = GetCpuFeatures();
  EXPECT_EQ(features.sse42, KernelLists("sse4_2"));
  EXPECT_EQ(features.avx2, KernelLists("avx2") && KernelLists("bmi1") && KernelLists("bmi2") &&
                               KernelLists("fma") && KernelLists("popcnt") &&
                               KernelLists("sse4_2"));
  EXPECT_EQ(features.avx512, features.avx2 && KernelLists("avx512f") && KernelLists("avx512bw") &&
                                 KernelLists("avx512vl") && KernelLists("avx512dq") &&
                                 KernelLists("avx512vbmi") && KernelLists("avx512_vbmi2") &&
                                 KernelLists("avx512_vpopcntdq"));
  EXPECT_EQ(features.clflushopt, KernelLists("clflushopt"));
  EXPECT_EQ(features.clwb, KernelLists("clwb"));
}

// Of a CPU that has all that any of our files uses, and an operating system that saves it.
CpuWords Everything() {
  CpuWords words;
  for (const int bit : {12, 20, 23, 27, 28}) words.leaf1_ecx |= 1u << bit;
  for (const int bit : {3, 5, 8, 16, 17, 23, 24, 30, 31}) words.leaf7_ebx |= 1u << bit;
  for (const int bit : {1, 6, 14}) words.leaf7_ecx |= 1u << bit;
  words.xcr0 = 0xE7;
  return words;
}

SimdLevel LevelOf(const CpuWords& words) {
  return BestSimdLevel(FeaturesOf(words));
}

TEST(CpuFeatures, GiveTheBestLevelThatTheyAllow) {
  EXPECT_EQ(LevelOf(Everything()), SimdLevel::kAvx512);
  EXPECT_EQ(LevelOf(CpuWords()), SimdLevel::kScalar);
  EXPECT_EQ(BestSimdLevel(), BestSimdLevel(GetCpuFeatures()));
}

// Skylake and Cascade Lake have AVX-512 without VBMI, VBMI2 and VPOPCNTDQ.
TEST(CpuFeatures, NeedEveryExtensionOfAvx512ThatKernelsUse) {
  for (const int bit : {16, 17, 30, 31}) {  // F, DQ, BW, VL
    CpuWords words = Everything();
    words.leaf7_ebx &= ~(1u << bit);
    EXPECT_EQ(LevelOf(words), SimdLevel::kAvx2) << bit;
  }
  for (const int bit : {1, 6, 14}) {  // VBMI, VBMI2, VPOPCNTDQ
    CpuWords words = Everything();
    words.leaf7_ecx &= ~(1u << bit);
    EXPECT_EQ(LevelOf(words), SimdLevel::kAvx2) << bit;
  }
}

TEST(CpuFeatures, NeedWhatGoesWithAvx2) {
  for (const int bit : {12, 20, 23, 28}) {  // FMA, SSE4.2, POPCNT, AVX
    CpuWords words = Everything();
    words.leaf1_ecx &= ~(1u << bit);
    EXPECT_EQ(LevelOf(words), SimdLevel::kScalar) << bit;
  }
  for (const int bit : {3, 5, 8}) {  // BMI1, AVX2, BMI2
    CpuWords words = Everything();
    words.leaf7_ebx &= ~(1u << bit);
    EXPECT_EQ(LevelOf(words), SimdLevel::kScalar) << bit;
  }
}

TEST(CpuFeatures, NeedAnOperatingSystemThatSavesTheirRegisters) {
  for (const uint64_t lost : {0x20, 0x40, 0x80}) {  // opmask, both halves of ZMM
    CpuWords words = Everything();
    words.xcr0 &= ~lost;
    EXPECT_EQ(LevelOf(words), SimdLevel::kAvx2) << lost;
  }
  for (const uint64_t lost : {0x2, 0x4}) {  // SSE, AVX
    CpuWords words = Everything();
    words.xcr0 &= ~lost;
    EXPECT_EQ(LevelOf(words), SimdLevel::kScalar) << lost;
  }
}

TEST(SimdLevels, AreUsableUpToTheBest) {
  const std::vector<SimdLevel> usable = UsableSimdLevels();
  EXPECT_EQ(usable.front(), SimdLevel::kScalar);
  EXPECT_EQ(usable.back(), BestSimdLevel());
  for (const SimdLevel level : kSimdLevels) {
    EXPECT_EQ(IsUsable(level), std::find(usable.begin(), usable.end(), level) != usable.end());
  }
}

TEST(SimdLevels, HaveNamesThatParseBack) {
  EXPECT_EQ(ToString(SimdLevel::kScalar), "scalar");
  EXPECT_EQ(ToString(SimdLevel::kAvx2), "avx2");
  EXPECT_EQ(ToString(SimdLevel::kAvx512), "avx512");
  for (const SimdLevel level : kSimdLevels) {
    const auto parsed = ParseSimdLevel(ToString(level));
    if (IsUsable(level)) {
      EXPECT_EQ(*parsed, level);
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(parsed.status()));
    }
  }
  EXPECT_EQ(*ParseSimdLevel("auto"), BestSimdLevel());
  EXPECT_TRUE(absl::IsInvalidArgument(ParseSimdLevel("mmx").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseSimdLevel("").status()));
}

}  // namespace cpu_features_test
}  // namespace pmdex
