#include "tools/profile/touched_sections.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/tools/profile/fake_counters.h"
#include "tests/tools/profile/profiled_index.h"
#include "tools/command.h"
#include "tools/profile/profile_json.h"
#include "tools/profile/profile_tables.h"

namespace pmdex {
namespace touched_sections_test {

using nlohmann::json;

ProfileResult RunOn(const ProfiledIndex& index, const std::string& queries) {
  static FakeCounterSource source;
  ProfileRequest request;
  request.indexes = {index.index()};
  request.queries_file = index.Queries(queries);
  request.modes = {"exhaustive"};
  request.passes = 1;
  request.sample_rate_hz = 0;
  auto result = RunProfile(request, Zen4Machine(source));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ProfileResult();
}

// Why nothing could be recorded on this machine; empty if something was.
std::string WhyNothingWasRecorded(const ProfiledConfiguration& configuration) {
  for (const std::string& note : configuration.notes) {
    if (note.starts_with("bytes touched are not recorded")) return note;
  }
  EXPECT_FALSE(configuration.touched.empty());
  return "";
}

double AllBytes(const std::vector<TouchedSection>& sections) {
  double bytes = 0;
  for (const TouchedSection& section : sections) bytes += section.bytes();
  return bytes;
}

TEST(TouchedSections, AreRecordedOfEachClassAndWeightedByIt) {
  const ProfiledIndex index;
  std::string queries;
  for (int i = 0; i < 30; ++i) queries += "common\n";
  for (int i = 0; i < 10; ++i) queries += "\"rare word\"\n";
  const ProfileResult result = RunOn(index, queries);
  ASSERT_EQ(result.configurations.size(), 1u);
  const ProfiledConfiguration& configuration = result.configurations[0];
  if (const std::string why = WhyNothingWasRecorded(configuration); !why.empty()) {
    GTEST_SKIP() << why;
  }
  ASSERT_EQ(configuration.classes.size(), 2u);
  const QueryGroup& phrases = configuration.classes[0];
  const QueryGroup& terms = configuration.classes[1];
  EXPECT_EQ(phrases.name, "phrase-2");
  EXPECT_EQ(phrases.touched_queries, 4u) << "eight queries of two classes";
  EXPECT_EQ(terms.touched_queries, 4u);
  EXPECT_EQ(configuration.touched_queries, 8u);
  EXPECT_GT(AllBytes(terms.touched), 3000) << "the length codes alone of 3,000 postings";
  EXPECT_GT(AllBytes(phrases.touched), 0);
  EXPECT_NEAR(AllBytes(configuration.touched),
              0.75 * AllBytes(terms.touched) + 0.25 * AllBytes(phrases.touched), 1e-6);
  const auto has_positions = [](const QueryGroup& group) {
    for (const TouchedSection& section : group.touched) {
      if (section.section.find("position") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_positions(phrases));
  EXPECT_FALSE(has_positions(terms));

  const ReportTable table = TouchedByClassTable(configuration);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "phrase-2");
  EXPECT_EQ(table.columns.size(), configuration.touched.size() + 3);
  const json document = json::parse(ProfileToJson(result));
  EXPECT_EQ(document["touched"]["queries"], 8);
  EXPECT_EQ(document["classes"][0]["touched"]["queries"], 4);
  EXPECT_GT(document["classes"][1]["touched"]["sections"][0]["bytes"], 0);
}

TEST(TouchedSections, TakeTwoQueriesOfEachOfManyClasses) {
  const ProfiledIndex index;
  std::string queries = kQueryLines;
  queries += kQueryLines;
  queries += kQueryLines;
  const ProfileResult result = RunOn(index, queries);
  ASSERT_EQ(result.configurations.size(), 1u);
  const ProfiledConfiguration& configuration = result.configurations[0];
  if (const std::string why = WhyNothingWasRecorded(configuration); !why.empty()) {
    GTEST_SKIP() << why;
  }
  EXPECT_GT(configuration.classes.size(), 4u);
  for (const QueryGroup& group : configuration.classes) {
    EXPECT_EQ(group.touched_queries, 2u) << group.name;
  }
}

TEST(TouchedSections, LeaveOutQueriesBeyondTheLimits) {
  const ProfiledIndex index;
  const auto directory = OpenIndexDirectory(index.index());
  ASSERT_TRUE(directory.ok()) << directory.status();
  const auto snapshot = Snapshot::Open(**directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const Searcher searcher(*snapshot);
  // The first query of each class comes before the second of any, and short lists come first.
  const std::vector<ProfileQuery> queries = {{"common", "long", "", 3000},
                                             {"common", "long", "", 3000},
                                             {"nosuchword", "none", "", 0},
                                             {"rare", "short", "", 60}};
  const auto touched_with = [&](const TouchLimits& limits) {
    ProfiledConfiguration configuration;
    EXPECT_TRUE(AddTouchedSections(searcher, queries, true, configuration, limits).ok());
    return configuration;
  };
  const ProfiledConfiguration all = touched_with({});
  if (const std::string why = WhyNothingWasRecorded(all); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(all.touched_queries, 4u);
  EXPECT_TRUE(all.notes.empty());
  const ProfiledConfiguration cheap = touched_with({.loads_of_query = 1500});
  EXPECT_EQ(cheap.touched_queries, 2u);
  ASSERT_EQ(cheap.notes.size(), 1u);
  EXPECT_EQ(cheap.notes[0].find("bytes touched: 2 of 4 queries have more than 1500 loads"), 0u);
  const ProfiledConfiguration first = touched_with({.loads_of_all = 1500});
  EXPECT_EQ(first.touched_queries, 2u);
  ASSERT_EQ(first.notes.size(), 1u);
  EXPECT_EQ(first.notes[0].find("bytes touched: 2 of 4 queries are left out, because"), 0u);
}

}  // namespace touched_sections_test
}  // namespace pmdex
