#include "engine/store/statistics.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace {

TEST(Statistics, CountsATermOnceHoweverManySegmentsHaveIt) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate,
             {{{"a", "one two three"}}, {{"b", "two three four"}}, {{"c", "two"}}});
  const auto statistics = ComputeStatistics(**Snapshot::Open(*directory));
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(statistics->term_count, 4u);
  EXPECT_EQ(statistics->posting_count, 7u);
  EXPECT_EQ(statistics->token_count, 7u);
  ASSERT_EQ(statistics->fields.size(), 1u);
  EXPECT_EQ(statistics->fields[0].name, "body");
  EXPECT_EQ(statistics->fields[0].term_count, 4u);
}

TEST(Statistics, CountTermsThatAgreeInManyBytesAndSegments) {
  std::mt19937 random(11);
  std::set<std::string> expected;
  std::vector<std::vector<std::pair<std::string, std::string>>> segments(6);
  for (auto& segment : segments) {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      const std::string prefix(random() % 12, 'a');
      const std::string term =
          prefix + static_cast<char>('a' + random() % 26) + std::string(random() % 3, 'b');
      expected.insert(term);
      text += term + " ";
    }
    segment = {{"doc", text}};
  }
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, segments);
  const auto statistics = ComputeStatistics(**Snapshot::Open(*directory));
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(statistics->term_count, expected.size());
}

TEST(Statistics, OfOneSegmentAreThoseOfItsFieldTable) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two one"}}});
  const auto statistics = ComputeStatistics(**Snapshot::Open(*directory));
  ASSERT_TRUE(statistics.ok());
  EXPECT_EQ(statistics->term_count, 2u);
}

TEST(Statistics, AreOfTheSegmentsThatProveSound) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x y"}}, {{"b", "y z"}}, {{"c", "q"}}});
  auto snapshot = *Snapshot::Open(*directory);
  snapshot->segments()[2]->Quarantine(DataLoss("damaged"));
  const auto sound = ComputeSoundStatistics(std::move(snapshot));
  ASSERT_TRUE(sound.ok()) << sound.status();
  EXPECT_EQ(sound->statistics.term_count, 3u);
  EXPECT_EQ(sound->snapshot->segments().size(), 2u);
  EXPECT_EQ(sound->snapshot->quarantined().size(), 1u);
}

TEST(Statistics, OfAnEmptyIndexAreZero) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {});
  const auto statistics = ComputeStatistics(**Snapshot::Open(*directory));
  ASSERT_TRUE(statistics.ok());
  EXPECT_EQ(statistics->term_count, 0u);
  EXPECT_EQ(statistics->file_bytes, 0u);
}

}  // namespace
}  // namespace pmdex
