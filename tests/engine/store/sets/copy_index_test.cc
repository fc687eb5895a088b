#include "engine/store/sets/copy_index.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/store/store_verifier.h"
#include "tests/engine/store/sets/sets_test_support.h"

namespace pmdex {
namespace copy_index_test {

TEST(CopyIndex, HasTheSameSegmentsAndDeletions) {
  std::mt19937 random(3);
  for (int round = 0; round < 5; ++round) {
    const SetsTestIndex index(random, 80);
    const auto directory = NewDramDirectory("copy");
    const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).value();
    const absl::Status copied = CopyIndex(index.snapshot(), {}, *writer);
    ASSERT_TRUE(copied.ok()) << copied;
    ASSERT_TRUE(writer->Publish().ok());
    const auto copy = Snapshot::Open(*directory).value();
    EXPECT_EQ(IdsOf(DivideDocuments(*copy, 1).value()[0]), index.LiveIds());
    EXPECT_EQ(copy->doc_count(), index.snapshot().doc_count());
    EXPECT_TRUE(VerifyStore(*directory).value().findings.empty());
  }
}

TEST(CopyIndex, KeepsTheGenerationThatItBeganWith) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}, {"b", "y"}}, {{"c", "z"}}});
  const auto before = Snapshot::Open(*directory).value();
  BuildStore(*directory, OpenMode::kOverwrite, {{{"d", "x"}}});
  const auto target = NewDramDirectory("copy");
  const auto writer = IndexWriter::Open(*target, OpenMode::kCreate, TestSettings()).value();
  ASSERT_TRUE(CopyIndex(*before, {}, *writer).ok());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(Snapshot::Open(*target).value()->doc_count(), 3u);
}

TEST(CopyIndex, RefusesAnIndexThatIsNotWhole) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  const auto damaged = Snapshot::Open(*directory).value();
  const auto target = NewDramDirectory("copy");
  {
    const auto writer = IndexWriter::Open(*target, OpenMode::kCreate, TestSettings()).value();
    EXPECT_TRUE(absl::IsDataLoss(CopyIndex(*damaged, {}, *writer)));
  }
  EXPECT_TRUE(FileNames(*target).empty());
}

TEST(CopyIndex, EndsWhenItIsStopped) {
  std::mt19937 random(3);
  const SetsTestIndex index(random, 80);
  const auto target = NewDramDirectory("copy");
  const auto writer = IndexWriter::Open(*target, OpenMode::kCreate, TestSettings()).value();
  EXPECT_TRUE(absl::IsCancelled(CopyIndex(
      index.snapshot(), [] { return true; }, *writer)));
}

}  // namespace copy_index_test
}  // namespace pmdex
