#include "engine/store/snapshot.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace {

TEST(Snapshot, AddsUpStatisticsOverSegments) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two two"}, {"b", ""}}, {{"c", "two"}}});
  const auto snapshot = *Snapshot::Open(*directory);
  const FieldStatistics body = snapshot->field_statistics("body");
  EXPECT_EQ(body.doc_count, 2u);  // b has no token in it
  EXPECT_EQ(body.token_count, 4u);
  EXPECT_EQ(body.posting_count, 3u);
  EXPECT_DOUBLE_EQ(body.AverageLength(), 2.0);
  EXPECT_EQ(snapshot->field_statistics("nothing").doc_count, 0u);
  ASSERT_EQ(snapshot->field_names().size(), 1u);
  EXPECT_EQ(snapshot->field_names()[0], "body");
}

TEST(Snapshot, OpensAnIndexWithoutDocuments) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {});
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ((*snapshot)->doc_count(), 0u);
}

TEST(Snapshot, SaysWhichSegmentIsMissing) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  const auto snapshot = Snapshot::Open(*directory);
  EXPECT_TRUE(absl::IsDataLoss(snapshot.status())) << snapshot.status();
  EXPECT_NE(snapshot.status().message().find(SegmentFileName(1)), absl::string_view::npos);
}

TEST(Snapshot, RefusesASegmentThatIsNotTheOneListed) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "longer text"}}});
  ASSERT_TRUE(directory->Rename(SegmentFileName(2), SegmentFileName(1)).ok());
  EXPECT_TRUE(absl::IsDataLoss(Snapshot::Open(*directory).status()));
}

TEST(Snapshot, SeesWholeGenerationsWhileAWriterReplacesThem) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  std::thread writer([&] {
    for (int i = 0; i < 40; ++i) {
      BuildStore(*directory, OpenMode::kOverwrite, {{{"a", "x"}, {"b", "x"}}, {{"c", "x"}}});
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto snapshot = Snapshot::Open(*directory);
    ASSERT_TRUE(snapshot.ok()) << snapshot.status();
    EXPECT_TRUE((*snapshot)->doc_count() == 1 || (*snapshot)->doc_count() == 3);
  }
  writer.join();
}

}  // namespace
}  // namespace pmdex
