#include "tools/profile/sampled_pass.h"

#include "gtest/gtest.h"

#include "tools/profile/phase_counts.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace sampled_pass_test {

TEST(SampledPass, SharesSamplesAmongPhasesAndClasses) {
  ProfiledConfiguration result;
  result.classes.resize(2);
  result.classes[0].name = "term";
  result.classes[1].name = "and-2";
  AddSamples({{"term", {{1, 0x1800}, {1, 0x1900}}}, {"not", {{1, 5}}}},
             AddressNames("1000-2000 r-xp 00000000 00:00 0 /bin/TopK\n", {}), result);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[0].name, "top k");
  EXPECT_EQ(result.phases[0].samples, 2u);
  EXPECT_EQ(result.phases[1].name, "other");
  EXPECT_EQ(result.samples, 3u);
  ASSERT_EQ(result.classes[0].phases.size(), 1u);
  EXPECT_EQ(result.classes[0].phases[0].share, 1);
  EXPECT_TRUE(result.classes[1].phases.empty()) << "no sample was taken in it";
  EXPECT_EQ(result.stacks.begin()->first[0], "not") << "the class is the outermost frame";
  const ReportTable table = PhasesByClassTable(result);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][1], "1.000");
}

}  // namespace sampled_pass_test
}  // namespace pmdex
