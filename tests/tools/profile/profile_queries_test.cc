#include "tools/profile/profile_queries.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/store/snapshot.h"
#include "tests/tools/profile/profiled_index.h"
#include "tools/command.h"

namespace pmdex {
namespace profile_queries_test {

TEST(ProfileQueries, SortsQueriesByTheirShapeAndTheirLists) {
  const ProfiledIndex index;
  const auto directory = OpenIndexDirectory(index.index());
  ASSERT_TRUE(directory.ok());
  const auto snapshot = Snapshot::Open(**directory);
  ASSERT_TRUE(snapshot.ok());
  const auto lines = ReadQueryLines(index.Queries(std::string(kQueryLines) + "\n  \na AND (\n"));
  ASSERT_TRUE(lines.ok());
  const auto described = DescribeQueries(*lines, **snapshot, /*exhaustive=*/false);
  ASSERT_TRUE(described.ok());
  std::vector<std::string> classes;
  std::vector<uint64_t> postings;
  for (const ProfileQuery& query : described->queries) {
    classes.push_back(query.query_class);
    postings.push_back(query.postings);
  }
  EXPECT_EQ(classes, (std::vector<std::string>{"term", "term", "and-2", "or-2", "phrase-2",
                                               "pattern", "not", "mixed", "all", "none"}));
  EXPECT_EQ(postings, (std::vector<uint64_t>{60, 3000, 4500, 1560, 120, 0, 4500, 4560, 0, 0}));
  EXPECT_EQ(described->queries[0].plan, "single_term");
  ASSERT_EQ(described->refused.size(), 1u);
  EXPECT_NE(described->refused[0].find("a AND ("), std::string::npos);
  const auto exhaustive = DescribeQueries({"rare"}, **snapshot, /*exhaustive=*/true);
  ASSERT_TRUE(exhaustive.ok());
  EXPECT_EQ(exhaustive->queries[0].plan, "exhaustive");
}

TEST(ProfileQueries, RefusesFilesWithoutQueries) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(ReadQueryLines("-").ok());
  EXPECT_FALSE(ReadQueryLines(directory / "none").ok());
  EXPECT_FALSE(ReadQueryLines(directory.Write("empty", "\n \n")).ok());
}

TEST(ProfileQueries, DividesLengthsIntoBucketsWithoutGaps) {
  uint64_t from = 0;
  for (int i = 0; i < 20; ++i) {
    const PostingRange range = RangeOfPostings(from);
    EXPECT_EQ(range.from, from);
    EXPECT_EQ(RangeOfPostings(range.to - 1), range);
    from = range.to;
  }
  EXPECT_EQ(from, 3'000'000'000u);
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_LE(RangeOfPostings(most - 1).from, most - 1);
}

}  // namespace profile_queries_test
}  // namespace pmdex
