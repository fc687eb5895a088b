#include "engine/store/statistics.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace statistics_test {

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
  for (const size_t threads : {1, 2, 5, 40}) {
    for (const uint64_t memory_bytes : {0, 1 << 20}) {
      const auto statistics =
          ComputeStatistics(**Snapshot::Open(*directory), {threads, memory_bytes});
      ASSERT_TRUE(statistics.ok()) << statistics.status();
      EXPECT_EQ(statistics->term_count, expected.size()) << threads << ", " << memory_bytes;
    }
  }
}

TEST(Statistics, OfManyThreadsFailWhereADictionaryIsDamaged) {
  const auto directory = NewDramDirectory("store");
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "term" + std::to_string(i * 7919 % 20000) + " ";
  BuildStore(*directory, OpenMode::kCreate, {{{"a", text}}, {{"b", text}}});
  const auto undamaged = ComputeStatistics(**Snapshot::Open(*directory), {4, 1 << 20});
  ASSERT_TRUE(undamaged.ok()) << undamaged.status();
  EXPECT_EQ(undamaged->term_count, 20000u);
  const auto snapshot = *Snapshot::Open(*directory);
  const std::span<const std::byte> blocks =
      snapshot->segments()[1]->view().RawSection(SectionKind::kTermBlocks);
  const_cast<std::byte&>(blocks[blocks.size() * 9 / 10]) ^= std::byte{1};
  const auto statistics = ComputeStatistics(*snapshot, {4, 1 << 20});
  EXPECT_EQ(statistics.status().code(), absl::StatusCode::kDataLoss);
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

}  // namespace statistics_test
}  // namespace pmdex
