// Compressed copies that an index keeps of its segments: what answers when a segment is damaged,
// and how IndexWriter (WriteCopies, DropCopies, Rebuild) and FindDamagedPairs repair the index.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/index_writer.h"
#include "engine/store/store_verifier.h"
#include "tests/engine/store/placement/placement_test_support.h"
#include "tests/support/faulty_directory.h"

namespace pmdex {
namespace kept_copies_test {

using Ids = std::vector<std::string>;

PlacementOptions WithNvme() {
  PlacementOptions options = AtPlaces({"/pm0"});
  options.compressed_directory = "/nvme";
  return options;
}

std::unique_ptr<IndexWriter> Writer(Directory& index) {
  auto writer = IndexWriter::Open(index, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  return *std::move(writer);
}

void WriteCopies(Directory& index) {
  const auto writer = Writer(index);
  ASSERT_TRUE(writer->WriteCopies().ok());
  ASSERT_TRUE(writer->Publish().ok());
}

class KeptCopies : public testing::Test {
 protected:
  KeptCopies() {
    BuildAt(*index_, OpenMode::kCreate, WithNvme(), {"a", "b", "c"});
    WriteCopies(*index_);
  }
  Manifest NewestManifest() const { return LoadNewestManifest(*index_, nullptr).value(); }
  std::shared_ptr<const Snapshot> Open() const { return Snapshot::Open(*index_).value(); }
  size_t Copies() const { return SegmentsIn(*Elsewhere(*index_, "/nvme")); }
  // Changes a byte of the file's second section.
  void Damage(const std::string& path, const ManifestSegment& file) {
    const auto place = Elsewhere(*index_, path);
    const std::string name = SegmentFileName(file.id);
    std::string bytes = ContentOf(*place, name);
    bytes[kHeaderPageBytes + 1] ^= 1;
    ASSERT_TRUE(place->Remove(name).ok());
    WriteStranger(*place, name, bytes);
  }
  const std::unique_ptr<Directory> index_ = NewDramDirectory("index");
};

TEST_F(KeptCopies, AreListedAndVerifiedWithTheirSegments) {
  const Manifest manifest = NewestManifest();
  ASSERT_EQ(manifest.copies.size(), 3u);
  for (const ManifestSegment& segment : manifest.segments) {
    ASSERT_NE(manifest.CopyOf(segment.id), nullptr);
    EXPECT_EQ(manifest.CopyOf(segment.id)->file.tier, Tier::kCompressed);
  }
  EXPECT_EQ(Copies(), 3u);
  const auto report = VerifyStore(*index_);
  EXPECT_EQ(report->copies, 3u);
  EXPECT_TRUE(report->findings.empty());
  Damage("/nvme", manifest.copies[1].file);
  EXPECT_FALSE(VerifyStore(*index_)->findings.empty());
}

TEST_F(KeptCopies, AnswerInPlaceOfSegmentsThatCannotBeOpened) {
  const std::string name = SegmentFileName(NewestManifest().segments[1].id);
  ASSERT_TRUE(Elsewhere(*index_, "/pm0")->Remove(name).ok());
  const auto snapshot = Open();
  EXPECT_TRUE(snapshot->quarantined().empty());
  ASSERT_EQ(snapshot->replaced().size(), 1u);
  EXPECT_EQ(snapshot->replaced()[0].file_name, name);
  EXPECT_TRUE(snapshot->segments()[1]->is_compressed());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
}

TEST_F(KeptCopies, AnswerInPlaceOfSegmentsThatAreFoundDamagedLater) {
  const auto snapshot = Open();
  snapshot->segments()[2]->Quarantine(DataLoss("found by a query"));
  const auto reduced = snapshot->WithoutDamaged();
  ASSERT_NE(reduced, nullptr);
  EXPECT_TRUE(reduced->quarantined().empty());
  ASSERT_EQ(reduced->segments().size(), 3u);
  EXPECT_EQ(*reduced->segments()[2]->doc_id(0), "c");
  EXPECT_EQ(reduced->replaced()[0].reason.message(), "found by a query");
  reduced->segments()[2]->Quarantine(DataLoss("so is the copy"));
  const auto without = reduced->WithoutDamaged();
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(without->segments().size(), 2u);
  EXPECT_EQ(without->quarantined().size(), 1u);
  EXPECT_TRUE(without->replaced().empty());
}

TEST_F(KeptCopies, RebuildTheirSegmentsAndAreRebuiltFromThem) {
  const Manifest before = NewestManifest();
  Damage("/pm0", before.segments[0]);
  Damage("/nvme", before.copies[2].file);
  const DamagedPairs damaged = FindDamagedPairs(*index_, before).value();
  ASSERT_EQ(damaged.segments, std::vector<uint64_t>{before.segments[0].id});
  ASSERT_EQ(damaged.copies, std::set<uint64_t>{before.segments[2].id});
  {
    const auto writer = Writer(*index_);
    const auto rebuilt = writer->Rebuild(before.segments[0].id);
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
    EXPECT_EQ(rebuilt->tier, Tier::kUncompressed);
    EXPECT_TRUE(absl::IsDataLoss(writer->Rebuild(before.segments[2].id).status()));
    EXPECT_TRUE(absl::IsNotFound(writer->Rebuild(77).status()));
    writer->DropCopies(damaged.copies);
    ASSERT_TRUE(writer->WriteCopies().ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  const Manifest after = NewestManifest();
  EXPECT_EQ(after.copies.size(), 3u);
  EXPECT_EQ(Copies(), 3u);
  EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
  const DamagedPairs none = FindDamagedPairs(*index_, after).value();
  EXPECT_TRUE(none.segments.empty() && none.copies.empty());
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
  EXPECT_TRUE(Open()->replaced().empty());
}

TEST_F(KeptCopies, GoWithTheirSegments) {
  const auto writer = Writer(*index_);
  const Manifest before = writer->published();
  const auto moved = writer->Convert(before.segments[0].id, Tier::kUncompressed, 0);
  ASSERT_TRUE(moved.ok());
  ASSERT_TRUE(writer->Convert(before.segments[1].id, Tier::kCompressed).ok());
  ASSERT_TRUE(writer->Publish().ok());
  const Manifest after = writer->published();
  ASSERT_EQ(after.copies.size(), 2u);
  EXPECT_EQ(after.CopyOf(moved->id)->file.id, before.copies[0].file.id);
  EXPECT_EQ(Copies(), 3u) << "two copies and a segment";
}

TEST_F(KeptCopies, AreRemovedWhenTheIndexIsOverwritten) {
  BuildAt(*index_, OpenMode::kOverwrite, WithNvme(), {"x"});
  EXPECT_TRUE(NewestManifest().copies.empty());
  EXPECT_EQ(Copies(), 0u);
}

TEST_F(KeptCopies, AreWrittenByPublishWhereTheWriterKeepsThem) {
  const auto writer = OpenWithPlaces(*index_, OpenMode::kAppend, WithNvme());
  writer->KeepCopies(true);
  ASSERT_TRUE(writer->WriteSegment(*MakeInput({{"d", "word d"}})).ok());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(NewestManifest().copies.size(), 4u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c", "d"}));
}

Ids LiveIds(const Directory& index) {
  const auto snapshot = Snapshot::Open(index).value();
  Ids ids;
  for (size_t i = 0; i < snapshot->segments().size(); ++i) {
    for (DocId doc = 0; doc < snapshot->segments()[i]->doc_count(); ++doc) {
      if (!IsLive(snapshot->live_docs(i), doc)) continue;
      ids.emplace_back(*snapshot->segments()[i]->doc_id(doc));
    }
  }
  return ids;
}

TEST_F(KeptCopies, HaveTheDeletionsOfTheirSegments) {
  const auto append = [&](const Ids& ids) {
    const auto writer = Writer(*index_);
    std::vector<std::pair<std::string, std::string>> documents;
    for (const std::string& id : ids) documents.push_back({id, "word " + id});
    const auto written = writer->WriteSegment(*MakeInput(documents));
    ASSERT_TRUE(written.ok() && writer->Publish().ok());
  };
  const auto erase = [&](DocId doc) {
    const auto writer = Writer(*index_);
    const DocId docs[] = {doc};
    ASSERT_EQ(writer->Delete(writer->published().segments[3].id, docs).value(), 1u);
    ASSERT_TRUE(writer->Publish().ok());
  };
  append({"d", "e", "f"});
  erase(1);              // before there is a copy
  WriteCopies(*index_);  // which has the deletion
  erase(0);
  ASSERT_EQ(NewestManifest().copies.size(), 4u);
  EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
  // Both the segment and its live documents are lost.
  const ManifestSegment lost = NewestManifest().segments[3];
  const auto place = Elsewhere(*index_, "/pm0");
  ASSERT_TRUE(place->Remove(SegmentFileName(lost.id)).ok());
  ASSERT_TRUE(place->Remove(LiveDocsFileName({lost.id, lost.live_docs_generation})).ok());
  EXPECT_EQ(LiveIds(*index_), (Ids{"a", "b", "c", "f"}));
  EXPECT_EQ(Open()->replaced().size(), 1u);
  {
    const auto writer = Writer(*index_);
    ASSERT_TRUE(writer->Rebuild(lost.id).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_TRUE(Open()->replaced().empty());
  EXPECT_EQ(LiveIds(*index_), (Ids{"a", "b", "c", "f"}));
  EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
}

TEST_F(KeptCopies, GoWithMergedSegmentsAndAreWrittenOfTheNewOne) {
  const auto writer = Writer(*index_);
  writer->KeepCopies(true);
  ASSERT_TRUE(writer->Publish().ok());
  const std::vector<ManifestSegment> segments = writer->published().segments;
  const uint64_t ids[] = {segments[0].id, segments[1].id};
  ASSERT_TRUE(writer->Merge(ids, {}).ok());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(writer->published().segments.size(), 2u);
  EXPECT_EQ(writer->published().copies.size(), 2u);
  EXPECT_EQ(Copies(), 2u);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c"}));
  writer->KeepCopies(false);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(Copies(), 0u);
}

TEST_F(KeptCopies, GoWithSegmentsWithoutLiveDocuments) {
  const auto writer = Writer(*index_);
  const DocId docs[] = {0};
  ASSERT_EQ(writer->Delete(writer->published().segments[1].id, docs).value(), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(writer->published().copies.size(), 2u);
  EXPECT_EQ(Copies(), 2u);
}

// The segments are published even if their copies cannot be written.
TEST_F(KeptCopies, AreReportedAsMissingWhereTheirPlaceIsAbsent) {
  {
    const auto writer = Writer(*index_);
    writer->KeepCopies(true);
    ASSERT_TRUE(writer->Publish().ok());
  }
  ASSERT_TRUE(Elsewhere(*index_, "/nvme")->Remove("pmdex-place").ok());
  const auto writer = Writer(*index_);
  const auto input = MakeInput({{"d", "word d"}});
  ASSERT_TRUE(writer->WriteSegment(*input).ok());
  ASSERT_TRUE(writer->Publish().ok());
  const absl::Status missing = writer->missing_copies();
  EXPECT_TRUE(absl::IsFailedPrecondition(missing)) << missing;
  EXPECT_NE(missing.message().find("copies of its segments are missing"), std::string::npos);
  EXPECT_EQ(ReadableIds(*index_), (Ids{"a", "b", "c", "d"}));
}

TEST_F(KeptCopies, AreListedNoMoreWhereTheirDeletionsCannotBeWritten) {
  {
    const auto writer = Writer(*index_);
    writer->KeepCopies(true);
    ASSERT_TRUE(writer->WriteSegment(*MakeInput({{"d", "word"}, {"e", "word"}})).ok());
    ASSERT_TRUE(writer->Publish().ok());
  }
  const auto place = Elsewhere(*index_, "/nvme");
  const std::string mark = ContentOf(*place, "pmdex-place");
  ASSERT_TRUE(place->Remove("pmdex-place").ok());
  {
    const auto writer = Writer(*index_);
    ASSERT_EQ(writer->Delete(writer->published().segments[3].id, std::vector<DocId>{0}).value(),
              1u);
    ASSERT_TRUE(writer->Publish().ok());
    EXPECT_TRUE(absl::IsFailedPrecondition(writer->missing_copies()));
    EXPECT_EQ(writer->published().copies.size(), 3u);
  }
  EXPECT_EQ(LiveIds(*index_), (Ids{"a", "b", "c", "e"}));
  WriteStranger(*place, "pmdex-place", mark);
  const auto writer = Writer(*index_);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_TRUE(writer->missing_copies().ok()) << writer->missing_copies();
  EXPECT_EQ(Copies(), 4u);
  EXPECT_TRUE(VerifyStore(*index_)->findings.empty());
}

TEST_F(KeptCopies, ArePublishedWhereThatOfAnotherSegmentCannotBeWritten) {
  const auto writer = Writer(*index_);
  const std::vector<ManifestSegment> segments = writer->published().segments;
  Damage("/pm0", segments[0]);
  writer->KeepCopies(true);
  writer->DropCopies({segments[0].id, segments[1].id, segments[2].id});
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_TRUE(absl::IsDataLoss(writer->missing_copies())) << writer->missing_copies();
  EXPECT_EQ(writer->published().copies.size(), 2u);
  EXPECT_EQ(writer->published().CopyOf(segments[0].id), nullptr);
  EXPECT_EQ(Copies(), 2u);
}

TEST_F(KeptCopies, AreReadForDeletionsFromTheirSegments) {
  const auto writer = Writer(*index_);
  const ManifestSegment lost = writer->published().segments[1];
  ASSERT_TRUE(Elsewhere(*index_, "/pm0")->Remove(SegmentFileName(lost.id)).ok());
  const auto opened = writer->OpenNext(lost);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_TRUE(opened->segment->is_compressed());
  EXPECT_EQ(*opened->segment->doc_id(0), "b");
  EXPECT_NE(opened->segment->segment_id(), lost.id);
  EXPECT_EQ(opened->listed_id, lost.id);
  ASSERT_EQ(writer->Delete(opened->listed_id, std::vector<DocId>{0}).value(), 1u);
  EXPECT_FALSE(IsLive(writer->OpenNext(lost)->live_docs.get(), 0));
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(LiveIds(*index_), (Ids{"a", "c"}));
}

// Fails each operation of the medium in turn while copies are written and a segment is rebuilt.
// Each error leaves an index with all documents, and the next writer removes what is left.
TEST(KeptCopiesFaults, LoseNothingAndLeaveNothing) {
  bool touched = true;
  for (uint64_t n = 1; touched; ++n) {
    ASSERT_LT(n, 3000u);
    const auto index = NewDramDirectory("index");
    BuildAt(*index, OpenMode::kCreate, WithNvme(), {"a", "b"});
    {
      const auto writer = Writer(*index);
      ASSERT_TRUE(writer->WriteSegment(*MakeInput({{"c", "word"}, {"d", "word"}})).ok());
      ASSERT_TRUE(writer->Publish().ok());
      ASSERT_TRUE(
          writer->Delete(writer->published().segments.back().id, std::vector<DocId>{0}).ok());
      ASSERT_TRUE(writer->Publish().ok());
    }
    FaultPlan plan(n, MakeStatus(absl::StatusCode::kResourceExhausted, "injected"));
    {
      const auto faulty = NewFaultyDirectory(*index, plan);
      auto writer = IndexWriter::Open(*faulty, OpenMode::kAppend, TestSettings());
      if (writer.ok() && (*writer)->WriteCopies().ok() && (*writer)->Publish().ok() &&
          (*writer)->Rebuild((*writer)->published().segments.back().id).ok()) {
        (*writer)->Publish().IgnoreError();
      }
    }
    touched = plan.touched();
    SCOPED_TRACE("operation " + std::to_string(n) + ": " + plan.failed());
    EXPECT_EQ(LiveIds(*index), (Ids{"a", "b", "d"}));
    ASSERT_TRUE(IndexWriter::Open(*index, OpenMode::kAppend, TestSettings()).ok());
    const Manifest manifest = LoadNewestManifest(*index, nullptr).value();
    EXPECT_EQ(SegmentsIn(*Elsewhere(*index, "/pm0")), 3u);
    EXPECT_EQ(SegmentsIn(*Elsewhere(*index, "/nvme")), manifest.copies.size());
    EXPECT_TRUE(VerifyStore(*index)->findings.empty());
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace kept_copies_test
}  // namespace pmdex
