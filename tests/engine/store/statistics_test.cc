#include "engine/store/statistics.h"

#include <gtest/gtest.h>

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
