#include "engine/store/snapshot.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/checksum.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/exhausted_directory.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace snapshot_test {

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

TEST(Snapshot, SaysTheNumberOfAFieldInEachSegment) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  reference.Add({"1", {{"body", "x"}, {"title", "y"}}});
  reference.Add({"2", {{"title", "y"}}});
  reference.Add({"3", {{"author", "z"}, {"body", "x"}}});
  const auto snapshot = reference.BuildSnapshot(1, true, false);
  ASSERT_EQ(snapshot->segments().size(), 3u);
  for (const char* field : {"author", "body", "title"}) {
    const auto ids = snapshot->field_ids(field);
    ASSERT_EQ(ids.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(ids[i], snapshot->segments()[i]->FindField(field).value_or(kNoField));
    }
  }
  EXPECT_TRUE(snapshot->field_ids("nothing").empty());
}

TEST(Snapshot, OpensAnIndexWithoutDocuments) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {});
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ((*snapshot)->doc_count(), 0u);
}

TEST(Snapshot, QuarantinesASegmentThatIsMissing) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate,
             {{{"a", "x"}, {"b", "x"}}, {{"c", "x y"}}, {{"d", "y"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  const auto opened = Snapshot::Open(*directory);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const Snapshot& snapshot = **opened;
  ASSERT_EQ(snapshot.quarantined().size(), 1u);
  EXPECT_EQ(snapshot.quarantined()[0].id, 1u);
  EXPECT_EQ(snapshot.quarantined()[0].file_name, SegmentFileName(1));
  EXPECT_EQ(snapshot.quarantined()[0].doc_count, 2u);
  EXPECT_TRUE(absl::IsNotFound(snapshot.quarantined()[0].reason));
  ASSERT_EQ(snapshot.segments().size(), 2u);
  EXPECT_EQ(snapshot.doc_count(), 2u);
  EXPECT_EQ(snapshot.doc_base(0), 2u);  // the numbers of the missing ones stay theirs
  EXPECT_EQ(snapshot.doc_base(1), 3u);
  EXPECT_EQ(snapshot.field_statistics("body").token_count, 3u);
}

TEST(Snapshot, SharesSegmentsWithAnEarlierOneWhereTheyAreTheSame) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x y"}}});
  const auto earlier = *Snapshot::Open(*directory);
  BuildStore(*directory, OpenMode::kAppend, {{{"c", "y"}}});
  const auto appended = *Snapshot::OpenAfter(*earlier, *directory);
  ASSERT_EQ(appended->segments().size(), 3u);
  EXPECT_EQ(appended->segments()[0], earlier->segments()[0]);
  EXPECT_EQ(appended->segments()[1], earlier->segments()[1]);
  EXPECT_EQ(appended->doc_count(), 3u);
  EXPECT_EQ(appended->field_statistics("body").token_count, 4u);
  earlier->segments()[1]->Quarantine(DataLoss("damage of the test"));
  const auto again = *Snapshot::OpenAfter(*appended, *directory);
  EXPECT_EQ(again->segments()[0], earlier->segments()[0]);
  EXPECT_NE(again->segments()[1], earlier->segments()[1]) << "opened anew";
  EXPECT_TRUE(again->quarantined().empty());
  BuildStore(*directory, OpenMode::kOverwrite, {{{"a", "z"}}, {{"b", "z z"}}});
  const auto anew = *Snapshot::OpenAfter(*again, *directory);
  ASSERT_EQ(anew->segments().size(), 2u);
  for (const auto& segment : anew->segments()) {
    for (const auto& other : again->segments()) EXPECT_NE(segment, other);
  }
}

// Whether the segment is lost or was replaced by a writer is not known then.
TEST(Snapshot, GivesNoPartialAnswerWhereItCannotLookForANewerGeneration) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  int listings = 0;
  const ExhaustedDirectory exhausted(
      *directory, [&listings](std::string_view name) { return name.empty() && ++listings == 2; });
  const absl::Status opened = Snapshot::Open(exhausted).status();
  EXPECT_TRUE(absl::IsResourceExhausted(opened)) << opened;
}

TEST(Snapshot, QuarantinesASegmentThatIsNotTheOneListed) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "longer text"}}});
  ASSERT_TRUE(directory->Rename(SegmentFileName(2), SegmentFileName(1)).ok());
  const auto snapshot = *Snapshot::Open(*directory);
  EXPECT_TRUE(snapshot->segments().empty());
  ASSERT_EQ(snapshot->quarantined().size(), 2u);
  EXPECT_TRUE(absl::IsDataLoss(snapshot->quarantined()[0].reason));
  EXPECT_TRUE(absl::IsNotFound(snapshot->quarantined()[1].reason));
}

TEST(Snapshot, LeavesOutWhatWasFoundDamagedSince) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}, {"c", "x"}}, {{"d", "x"}}});
  const auto whole = *Snapshot::Open(*directory);
  EXPECT_EQ(whole->WithoutDamaged(), nullptr);
  whole->segments()[1]->Quarantine(DataLoss("a reason"));
  const auto reduced = whole->WithoutDamaged();
  ASSERT_NE(reduced, nullptr);
  EXPECT_EQ(reduced->segments().size(), 2u);
  EXPECT_EQ(reduced->doc_base(1), 3u);
  EXPECT_EQ(reduced->manifest().generation, whole->manifest().generation);
  ASSERT_EQ(reduced->quarantined().size(), 1u);
  EXPECT_EQ(reduced->quarantined()[0].file_name, SegmentFileName(2));
  EXPECT_EQ(Message(reduced->quarantined()[0].reason), "a reason");
  EXPECT_EQ(reduced->WithoutDamaged(), nullptr);
  reduced->segments()[0]->Quarantine(DataLoss("another"));
  const auto last = reduced->WithoutDamaged();
  ASSERT_NE(last, nullptr);
  ASSERT_EQ(last->quarantined().size(), 2u);
  EXPECT_EQ(last->quarantined()[0].file_name, SegmentFileName(1));  // in index order
  EXPECT_EQ(last->quarantined()[1].file_name, SegmentFileName(2));
}

// A newer format is never read around.
TEST(Snapshot, RefusesTheWholeIndexWhenASegmentIsOfANewerFormat) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  std::vector<std::byte> bytes;
  {
    const auto file = *directory->Open(SegmentFileName(1));
    bytes.assign(file->bytes().begin(), file->bytes().end());
  }
  bytes[offsetof(FileHeader, version)] = std::byte{kSegmentVersion + 1};
  const uint32_t crc = Crc32c(std::span(bytes).first(kHeaderCrcOffset));
  std::memcpy(bytes.data() + kHeaderCrcOffset, &crc, sizeof crc);
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  const auto file = *directory->Create(SegmentFileName(1), bytes.size());
  file->CopyNonTemporal(0, bytes);
  ASSERT_TRUE(file->Seal(bytes.size()).ok());
  EXPECT_TRUE(absl::IsUnimplemented(Snapshot::Open(*directory).status()));
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

}  // namespace snapshot_test
}  // namespace pmdex
