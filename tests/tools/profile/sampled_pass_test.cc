#include "tools/profile/sampled_pass.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace sampled_pass_test {

TEST(SampledPass, SharesSamplesAmongPhases) {
  ProfiledConfiguration result;
  AddSamples({{1, 0x1800}, {1, 0x1900}, {1, 5}},
             AddressNames("1000-2000 r-xp 00000000 00:00 0 /bin/TopK\n", {}), result);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[0].name, "top k");
  EXPECT_EQ(result.phases[0].samples, 2u);
  EXPECT_EQ(result.phases[1].name, "other");
  EXPECT_EQ(result.samples, 3u);
}

}  // namespace sampled_pass_test
}  // namespace pmdex
