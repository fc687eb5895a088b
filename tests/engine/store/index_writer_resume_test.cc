// Builds that a writer leaves unfinished, and the writers that resume, replace or drop them.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/exhausted_directory.h"

namespace pmdex {
namespace index_writer_resume_test {

std::vector<std::byte> Progress(uint8_t value) {
  return {std::byte{value}};
}

uint64_t Write(IndexWriter& writer, const std::string& id) {
  const auto input = MakeInput({{id, "word"}});
  const auto info = writer.WriteSegment(*input);
  EXPECT_TRUE(info.ok()) << info.status();
  return info.ok() ? info->segment_id : 0;
}

// A writer that starts a build with these options, checkpoints one segment, and goes away.
void LeaveUnfinished(Directory& directory, OpenMode mode, const std::string& options,
                     const std::string& id) {
  auto writer = IndexWriter::Open(directory, mode, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->StartBuild(options).ok());
  const uint64_t segment = Write(**writer, id);
  ASSERT_TRUE((*writer)->Checkpoint(std::span(&segment, 1), Progress(1)).ok());
}

std::vector<std::string> VisibleIds(const Directory& directory) {
  std::vector<std::string> ids;
  const auto snapshot = Snapshot::Open(directory);
  if (!snapshot.ok()) return {snapshot.status().ToString()};
  for (const auto& segment : (*snapshot)->segments()) {
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) ids.emplace_back(*segment->doc_id(doc));
  }
  return ids;
}

using Strings = std::vector<std::string>;

absl::StatusOr<std::unique_ptr<IndexWriter>> Resume(Directory& directory, OpenMode mode,
                                                    const std::string& options) {
  return IndexWriter::OpenToResume(directory, mode, options, TestSettings());
}

TEST(IndexWriter, CheckpointsAreInvisibleAndTheNextWriterGoesOnFromThem) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  const absl::Status unfinished = Snapshot::Open(*directory).status();
  EXPECT_TRUE(absl::IsNotFound(unfinished)) << unfinished;
  EXPECT_NE(std::string(unfinished.message()).find("--resume"), std::string::npos);
  for (const char* id : {"b", "c"}) {
    auto writer = Resume(*directory, OpenMode::kCreate, "x");
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->build().has_value());
    EXPECT_EQ((*writer)->build()->progress, Progress(1));
    const uint64_t segment = Write(**writer, id);
    ASSERT_TRUE((*writer)->Checkpoint(std::span(&segment, 1), Progress(1)).ok());
  }
  auto writer = Resume(*directory, OpenMode::kCreate, "x");
  ASSERT_TRUE(writer.ok()) << writer.status();
  Write(**writer, "d");
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(FileNames(*directory).size(), 5u) << "one manifest, four segments";
}

TEST(IndexWriter, ListsOnlyTheSegmentsOfTheCheckpoint) {
  const auto directory = NewDramDirectory("store");
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
    ASSERT_TRUE(writer->StartBuild("x").ok());
    Write(*writer, "first");
    const uint64_t second = Write(*writer, "second");
    ASSERT_TRUE(writer->Checkpoint(std::span(&second, 1), Progress(1)).ok());
    EXPECT_EQ(FileNames(*directory).size(), 3u) << "the first is still to come";
  }
  auto writer = *Resume(*directory, OpenMode::kCreate, "x");
  EXPECT_EQ(writer->build()->doc_count(), 1u);
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), Strings{"second"});
}

TEST(IndexWriter, AnUnfinishedOverwriteLeavesTheOldGenerationVisible) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  LeaveUnfinished(*directory, OpenMode::kOverwrite, "x", "a");
  EXPECT_EQ(VisibleIds(*directory), Strings{"old"});
  ASSERT_TRUE((*Resume(*directory, OpenMode::kCreate, "x"))->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), Strings{"a"});
}

TEST(IndexWriter, AnUnfinishedAppendGoesOnBehindWhatIsThere) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  LeaveUnfinished(*directory, OpenMode::kAppend, "x", "a");
  ASSERT_TRUE((*Resume(*directory, OpenMode::kAppend, "x"))->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"old", "a"}));
}

// A writer that starts a build with these options, publishes a part of one segment, and goes away.
void LeavePart(Directory& directory, OpenMode mode, const std::string& options,
               const std::string& id) {
  auto writer = IndexWriter::Open(directory, mode, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->StartBuild(options).ok());
  const uint64_t segment = Write(**writer, id);
  ASSERT_TRUE((*writer)->PublishPart(std::span(&segment, 1), Progress(1), {}).ok());
}

TEST(IndexWriter, PartsAreVisibleAndTheNextWriterGoesOnFromThem) {
  const auto directory = NewDramDirectory("store");
  LeavePart(*directory, OpenMode::kCreate, "x", "a");
  EXPECT_EQ(VisibleIds(*directory), Strings{"a"});
  for (const char* id : {"b", "c"}) {
    auto writer = *Resume(*directory, OpenMode::kCreate, "x");
    ASSERT_TRUE(writer->build().has_value());
    EXPECT_EQ(writer->build()->progress, Progress(1));
    const uint64_t unfinished = Write(*writer, "unfinished");
    const uint64_t segment = Write(*writer, id);
    ASSERT_TRUE(writer->PublishPart(std::span(&segment, 1), Progress(1), {}).ok());
    EXPECT_EQ(*writer->published().PublishedPartsFrom(), 1u);
    EXPECT_LT(unfinished, segment) << "stays invisible, and goes with its writer";
  }
  EXPECT_EQ(VisibleIds(*directory), (Strings{"a", "b", "c"}));
  EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->PendingDocuments(), 3u);
  auto writer = *Resume(*directory, OpenMode::kCreate, "x");
  Write(*writer, "d");
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(FileNames(*directory).size(), 5u) << "one manifest, four segments";
  EXPECT_FALSE(LoadNewestManifest(*directory, nullptr)->properties.contains(kPartsFromProperty));
  writer.reset();
  EXPECT_TRUE((*Resume(*directory, OpenMode::kCreate, "x"))->is_built());
}

TEST(IndexWriter, APartAndWhatItDeletesAreOneGeneration) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}, {"older", "x"}}});
  LeavePart(*directory, OpenMode::kAppend, "x", "a");
  auto writer = *Resume(*directory, OpenMode::kAppend, "x");
  const DocId first = 0;
  for (const char* id : {"b", "c"}) {
    const uint64_t before = writer->published().segments.back().id;
    const uint64_t segment = Write(*writer, id);
    ASSERT_EQ(*writer->Delete(before, std::span(&first, 1)), 1u);  // all of its documents
    ASSERT_EQ(*writer->Delete(1, std::span(&first, 1)), id == std::string("b") ? 1u : 0u);
    ASSERT_TRUE(writer->PublishPart(std::span(&segment, 1), Progress(1), {}).ok());
    EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->segments.size(), 2u);
    EXPECT_EQ((*Snapshot::Open(*directory))->live_doc_count(), 2u) << "older, and " << id;
  }
  writer.reset();
  writer = *Resume(*directory, OpenMode::kAppend, "x");
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->live_doc_count(), 2u);
  EXPECT_EQ(FileNames(*directory).size(), 4u) << "a manifest, two segments, live documents of one";
}

TEST(IndexWriter, ThePartsOfABuildHoldItsEarlierCheckpoints) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  auto writer = *Resume(*directory, OpenMode::kCreate, "x");
  const uint64_t segment = Write(*writer, "b");
  ASSERT_TRUE(writer->PublishPart(std::span(&segment, 1), Progress(2), {}).ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"a", "b"}));
}

TEST(IndexWriter, TheFirstPartReplacesWhatIsOverwritten) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  LeavePart(*directory, OpenMode::kOverwrite, "x", "a");
  EXPECT_EQ(VisibleIds(*directory), Strings{"a"});
  auto writer = *Resume(*directory, OpenMode::kOverwrite, "x");
  Write(*writer, "b");
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"a", "b"}));
  EXPECT_EQ(FileNames(*directory).size(), 3u);
}

TEST(IndexWriter, PartsStayWhenTheirBuildIsDropped) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  LeavePart(*directory, OpenMode::kAppend, "x", "a");
  EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->PendingDocuments(), 1u);
  EXPECT_TRUE(absl::IsFailedPrecondition(Resume(*directory, OpenMode::kAppend, "y").status()));
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
    EXPECT_TRUE(writer->dropped().has_value());
    ASSERT_TRUE(writer->StartBuild("y").ok());
    EXPECT_FALSE(writer->published().HasPublishedParts());
    Write(*writer, "b");
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_EQ(VisibleIds(*directory), (Strings{"old", "a", "b"}));
}

TEST(IndexWriter, AWriterThatKeepsAnUnfinishedBuildKeepsItsParts) {
  const auto directory = NewDramDirectory("store");
  LeavePart(*directory, OpenMode::kCreate, "x", "a");
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
    writer->KeepPendingBuild();
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_EQ(VisibleIds(*directory), Strings{"a"});
  auto writer = *Resume(*directory, OpenMode::kCreate, "x");
  ASSERT_TRUE(writer->build().has_value());
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), Strings{"a"});
}

TEST(IndexWriter, RefusesToCreateOverUnfinishedWorkButNotOverAMereStart) {
  const auto directory = NewDramDirectory("store");
  for (int twice = 0; twice < 2; ++twice) {
    auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->StartBuild("other").ok());
  }
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
  EXPECT_TRUE(absl::IsAlreadyExists(writer.status())) << writer.status();
  const auto append = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(absl::IsNotFound(append.status())) << append.status();
}

TEST(IndexWriter, DropsUnfinishedWorkOnlyWhenANewBuildStarts) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  const auto before = FileNames(*directory);
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kOverwrite, TestSettings());
    ASSERT_TRUE(writer->dropped().has_value());
    EXPECT_EQ(writer->dropped()->doc_count(), 1u);
  }
  EXPECT_EQ(FileNames(*directory), before);
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kOverwrite, TestSettings());
    ASSERT_TRUE(writer->StartBuild("y").ok());
    EXPECT_EQ(FileNames(*directory).size(), 1u);
    Write(*writer, "new");
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_EQ(VisibleIds(*directory), Strings{"new"});
}

TEST(IndexWriter, PublishWithoutABuildDropsUnfinishedWork) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  BuildStore(*directory, OpenMode::kOverwrite, {{{"new", "x"}}});
  EXPECT_EQ(VisibleIds(*directory), Strings{"new"});
  EXPECT_EQ(FileNames(*directory).size(), 2u);
}

TEST(IndexWriter, ResumeRefusesAnotherBuild) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "--format lines /a", "a");
  const auto other = Resume(*directory, OpenMode::kCreate, "--format lines /b");
  EXPECT_TRUE(absl::IsFailedPrecondition(other.status())) << other.status();
  EXPECT_NE(std::string(other.status().message()).find("--format lines /a"), std::string::npos);
  const auto append = Resume(*directory, OpenMode::kAppend, "--format lines /a");
  EXPECT_TRUE(absl::IsFailedPrecondition(append.status())) << append.status();
}

TEST(IndexWriter, ResumeStartsWhereThereIsNothingAndRestsWhenAllIsDone) {
  const auto directory = NewDramDirectory("store");
  {
    auto writer = *Resume(*directory, OpenMode::kCreate, "x");
    EXPECT_FALSE(writer->is_built());
    ASSERT_TRUE(writer->StartBuild("x").ok());
    Write(*writer, "a");
    ASSERT_TRUE(writer->Publish().ok());
  }
  WriteOrphan(*directory, 99);  // of a writer that died cleaning up
  EXPECT_TRUE((*Resume(*directory, OpenMode::kCreate, "x"))->is_built());
  EXPECT_FALSE(FileNames(*directory).contains(SegmentFileName(99)));
  EXPECT_TRUE((*Resume(*directory, OpenMode::kOverwrite, "x"))->is_built());
  EXPECT_TRUE(absl::IsAlreadyExists(Resume(*directory, OpenMode::kCreate, "y").status()));
  auto append = *Resume(*directory, OpenMode::kAppend, "x");
  EXPECT_FALSE(append->is_built()) << "created with x, x was not appended";
}

TEST(IndexWriter, ResumeTakesUpAMereStartInItsMode) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
    ASSERT_TRUE(writer->StartBuild("x").ok());
  }
  auto writer = Resume(*directory, OpenMode::kCreate, "x");
  ASSERT_TRUE(writer.ok()) << writer.status();
  Write(**writer, "a");
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ(VisibleIds(*directory), (Strings{"old", "a"}));
}

TEST(IndexWriter, BeginsABuildAnewWithoutWhatItHasWritten) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"old", "x"}}});
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
    ASSERT_TRUE(writer->StartBuild("x").ok());
    const uint64_t listed = Write(*writer, "a");
    ASSERT_TRUE(writer->Checkpoint(std::span(&listed, 1), Progress(1)).ok());
    const uint64_t unlisted = Write(*writer, "b");
    ASSERT_TRUE(writer->StartBuild("x").ok());
    EXPECT_FALSE(FileNames(*directory).contains(SegmentFileName(listed)));
    EXPECT_FALSE(FileNames(*directory).contains(SegmentFileName(unlisted)));
    EXPECT_TRUE(writer->build()->segments.empty());
    EXPECT_TRUE(writer->build()->progress.empty());
    EXPECT_GT(Write(*writer, "c"), unlisted);
    ASSERT_TRUE(writer->Publish().ok());
  }
  EXPECT_EQ(VisibleIds(*directory), (Strings{"old", "c"}));
}

TEST(IndexWriter, ResumeNoticesAPendingSegmentThatIsGone) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  ASSERT_TRUE(directory->Remove("segment-0000000000000001.pmdex").ok());
  const auto writer = Resume(*directory, OpenMode::kCreate, "x");
  EXPECT_TRUE(absl::IsDataLoss(writer.status())) << writer.status();
}

TEST(IndexWriter, ResumeDoesNotTakeALackOfDescriptorsForDamage) {
  const auto directory = NewDramDirectory("store");
  LeaveUnfinished(*directory, OpenMode::kCreate, "x", "a");
  ExhaustedDirectory exhausted(*directory,
                               [](std::string_view name) { return name == SegmentFileName(1); });
  const auto writer = Resume(exhausted, OpenMode::kCreate, "x");
  EXPECT_TRUE(absl::IsResourceExhausted(writer.status())) << writer.status();
  EXPECT_TRUE(Resume(*directory, OpenMode::kCreate, "x").ok());
}

}  // namespace index_writer_resume_test
}  // namespace pmdex
