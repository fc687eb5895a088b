#include "pmem/cpu_features.h"

#include <fstream>
#include <sstream>
#include <string>

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
                               KernelLists("fma"));
  EXPECT_EQ(features.avx512, features.avx2 && KernelLists("avx512f") && KernelLists("avx512bw") &&
                                 KernelLists("avx512vl") && KernelLists("avx512dq"));
  EXPECT_EQ(features.avx512_vbmi2,
            features.avx512 && KernelLists("avx512vbmi") && KernelLists("avx512_vbmi2"));
  EXPECT_EQ(features.clflushopt, KernelLists("clflushopt"));
  EXPECT_EQ(features.clwb, KernelLists("clwb"));
}

TEST(CpuFeatures, GiveTheBestLevelThatTheyAllow) {
  const CpuFeatures& features = GetCpuFeatures();
  const SimdLevel expected = features.avx512 ? SimdLevel::kAvx512
                             : features.avx2 ? SimdLevel::kAvx2
                                             : SimdLevel::kScalar;
  EXPECT_EQ(BestSimdLevel(), expected);
}

TEST(CpuFeatures, NameTheLevels) {
  EXPECT_EQ(ToString(SimdLevel::kScalar), "scalar");
  EXPECT_EQ(ToString(SimdLevel::kAvx2), "avx2");
  EXPECT_EQ(ToString(SimdLevel::kAvx512), "avx512");
}

}  // namespace cpu_features_test
}  // namespace pmdex
