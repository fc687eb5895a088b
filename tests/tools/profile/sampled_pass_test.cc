#include "tools/profile/sampled_pass.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/tools/profile/profiled_index.h"
#include "tools/command.h"
#include "tools/profile/phase_counts.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace sampled_pass_test {

TEST(SampledPass, SharesSamplesAmongPhasesAndClasses) {
  ProfiledConfiguration result;
  result.classes.resize(2);
  result.classes[0].name = "term";
  result.classes[1].name = "and-2";
  AddSamples({{"term", {{1, 0x1800}, {1, 0x1900, {0x2100}}}}, {"not", {{1, 5}}}},
             AddressNames("1000-2000 r-xp 00000000 00:00 0 /bin/TopK\n"
                          "2000-3000 r-xp 00000000 00:00 0 /bin/Lead\n",
                          {}),
             result);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[0].name, "top k");
  EXPECT_EQ(result.phases[0].samples, 2u);
  EXPECT_EQ(result.phases[1].name, "other");
  EXPECT_EQ(result.samples, 3u);
  ASSERT_EQ(result.classes[0].phases.size(), 1u);
  EXPECT_EQ(result.classes[0].phases[0].share, 1);
  EXPECT_TRUE(result.classes[1].phases.empty()) << "no sample was taken in it";
  EXPECT_EQ(result.stacks.begin()->first, (std::vector<std::string>{"not", "other", "[unknown]"}))
      << "the class is the outermost frame, then the phase of what has no callers";
  const std::vector<std::string> called = {"term", "[Lead]", "[TopK]"};
  EXPECT_EQ(result.stacks.at(called), 1u);
  const ReportTable table = PhasesByClassTable(result);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][1], "1.000");
}

TEST(SampledPass, CountsAFunctionWithoutAPhaseForItsCaller) {
  ProfiledConfiguration result;
  AddSamples({{"term", {{1, 0x2800, {0x1900}}, {1, 0x2800}}}},
             AddressNames("1000-2000 r-xp 00000000 00:00 0 /bin/TopK\n"
                          "2000-3000 r-xp 00000000 00:00 0 /lib/libc.so.6\n",
                          {}),
             result);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[0].name, "top k");
  EXPECT_EQ(result.phases[0].samples, 1u);
  EXPECT_EQ(result.phases[1].name, "other") << "its caller is not known";
  EXPECT_EQ(result.phases[1].samples, 1u);
}

TEST(SampledPass, SamplesByATimerWhereTheKernelRefusesPerfEvents) {
  const ProfiledIndex index;
  const auto directory = OpenIndexDirectory(index.index());
  ASSERT_TRUE(directory.ok()) << directory.status();
  const auto snapshot = Snapshot::Open(**directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const Searcher searcher(*snapshot);
  const std::vector<ProfileQuery> queries = {{"common AND half", "and-2", "", 4500},
                                             {"ha*", "pattern", "", 1500}};
  ProfileRunOptions options;
  options.threads = 2;
  options.open_sampler = [](perf_event_attr*, int, int, int, unsigned) {
    errno = EPERM;
    return -1;
  };
  ProfiledConfiguration result;
  ASSERT_TRUE(SampleQueries(searcher, queries, options, result).ok());
  EXPECT_GT(result.samples, 0u);
  EXPECT_FALSE(result.phases.empty());
  // The chain of calls begins at the search: what the profile itself calls is left out.
  size_t deepest = 0;
  for (const auto& [stack, count] : result.stacks) {
    if (stack[1] == "Searcher::Search") deepest = std::max(deepest, stack.size());
    const auto search = std::find(stack.begin(), stack.end(), "Searcher::Search");
    EXPECT_TRUE(search == stack.end() || search == stack.begin() + 1);
  }
  EXPECT_GT(deepest, 3u);
  ASSERT_FALSE(result.notes.empty());  // a second note says how many samples were lost
  EXPECT_NE(result.notes[0].find("by a timer"), std::string::npos) << result.notes[0];
  EXPECT_NE(result.notes[0].find("Operation not permitted"), std::string::npos);
}

}  // namespace sampled_pass_test
}  // namespace pmdex
