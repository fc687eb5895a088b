#include "engine/store/index_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "engine/store/snapshot.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/simulated_directory.h"

namespace pmdex {
namespace index_writer_test {

TEST(IndexWriter, PublishesAllSegmentsAtOnce) {
  const auto directory = NewDramDirectory("store");
  auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  const auto first = MakeInput({{"a", "one two"}});
  const auto second = MakeInput({{"b", "two"}, {"c", "three"}});
  ASSERT_TRUE((*writer)->WriteSegment(*first).ok());
  ASSERT_TRUE((*writer)->WriteSegment(*second).ok());
  EXPECT_TRUE(absl::IsNotFound(Snapshot::Open(*directory).status()));  // nothing is visible yet
  ASSERT_TRUE((*writer)->Publish().ok());
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ((*snapshot)->doc_count(), 3u);
  EXPECT_EQ((*snapshot)->segments().size(), 2u);
  EXPECT_EQ((*snapshot)->manifest().generation, 1u);
}

TEST(IndexWriter, RefusesToCreateOverAnIndex) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  EXPECT_TRUE(absl::IsAlreadyExists(
      IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).status()));
}

TEST(IndexWriter, AppendKeepsWhatIsThere) {
  const auto directory = NewDramDirectory("store");
  EXPECT_TRUE(
      absl::IsNotFound(IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).status()));
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}, {{"c", "x"}}});
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ((*snapshot)->doc_count(), 3u);
  EXPECT_EQ(*(*snapshot)->segments()[0]->doc_id(0), "a");
  EXPECT_EQ(*(*snapshot)->segments()[2]->doc_id(0), "c");
  EXPECT_EQ((*snapshot)->doc_base(2), 2u);
}

TEST(IndexWriter, AppendRefusesOtherSettings) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  IndexSettings other = TestSettings();
  other.positions = false;
  const auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, other);
  EXPECT_TRUE(absl::IsFailedPrecondition(writer.status())) << writer.status();
}

TEST(IndexWriter, OverwriteReplacesOnlyWhenPublished) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  const auto old_snapshot = *Snapshot::Open(*directory);
  {
    auto writer = IndexWriter::Open(*directory, OpenMode::kOverwrite, TestSettings());
    const auto input = MakeInput({{"new", "y"}});
    ASSERT_TRUE((*writer)->WriteSegment(*input).ok());
    EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 2u);
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 1u);
  EXPECT_EQ(FileNames(*directory).size(), 2u);              // one manifest, one segment
  EXPECT_EQ(*old_snapshot->segments()[1]->doc_id(0), "b");  // pinned all the same
}

TEST(IndexWriter, TakesBackWhatWasNeverPublished) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const auto before = FileNames(*directory);
  {
    auto writer = IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
    const auto input = MakeInput({{"b", "x"}});
    ASSERT_TRUE((*writer)->WriteSegment(*input).ok());
    EXPECT_NE(FileNames(*directory), before);
  }
  EXPECT_EQ(FileNames(*directory), before);
}

// What a writer leaves that is killed with its manifest renamed, and the name not yet durable.
std::unique_ptr<SimulatedMedium> KilledInPublish(SimulatedMedium& medium, uint64_t generation,
                                                 const std::function<void()>& run) {
  std::unique_ptr<SimulatedMedium> killed;
  bool renamed = false;
  medium.set_observer([&] {
    if (renamed && killed == nullptr) killed = medium.AfterKill();
    if (medium.operation() == "rename " + ManifestFileName(generation) + ".tmp") renamed = true;
  });
  run();
  return killed;
}

TEST(IndexWriter, MakesTheGenerationDurableThatItGoesOnFrom) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  const auto killed = KilledInPublish(medium, 1, [&] {
    BuildStore(directory, OpenMode::kCreate, {{{"a", "x"}}});
  });
  ASSERT_NE(killed, nullptr);
  SimulatedDirectory next(*killed);
  const auto writer = IndexWriter::Open(next, OpenMode::kAppend, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ((*writer)->published().generation, 1u);
  const auto after_power_cut = killed->AfterPowerCut({});
  const auto snapshot = Snapshot::Open(SimulatedDirectory(*after_power_cut));
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ((*snapshot)->manifest().generation, 1u);
}

TEST(IndexWriter, RemovesAReplacedManifestOnlyAfterTheNewOneIsDurable) {
  // A file system that keeps changes of names in any order it likes.
  SimulatedMedium medium({.order = DirectoryOrder::kUnordered});
  SimulatedDirectory directory(medium);
  BuildStore(directory, OpenMode::kCreate, {{{"a", "x"}}});
  const auto killed = KilledInPublish(medium, 2, [&] {
    BuildStore(directory, OpenMode::kAppend, {{{"b", "x"}}});
  });
  ASSERT_NE(killed, nullptr);
  SimulatedDirectory next(*killed);
  std::set<uint64_t> generations;
  killed->set_observer([&] {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const auto image = killed->AfterPowerCut({.names = Survival::kRandom, .seed = seed});
      const auto manifest = LoadNewestManifest(SimulatedDirectory(*image), nullptr);
      generations.insert(manifest.ok() ? manifest->generation : 0);
    }
  });
  ASSERT_TRUE(IndexWriter::Open(next, OpenMode::kAppend, TestSettings()).ok());
  EXPECT_EQ(generations, std::set<uint64_t>({1, 2}));
}

// No crash damages a manifest, because it is synced before it gets its name. A writer that used an
// older manifest would remove the segments that the damaged one lists.
TEST(IndexWriter, DoesNotStepBackBehindADamagedManifestButOverwritesIt) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  auto damaged = directory->Create(ManifestFileName(2), 64);
  ASSERT_TRUE(damaged.ok() && (*damaged)->Seal(64).ok());
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kAppend}) {
    const auto writer = IndexWriter::Open(*directory, mode, TestSettings());
    EXPECT_TRUE(absl::IsDataLoss(writer.status())) << writer.status();
  }
  EXPECT_TRUE(FileNames(*directory).contains(ManifestFileName(2)));
  BuildStore(*directory, OpenMode::kOverwrite, {{{"b", "x"}}});
  EXPECT_EQ(*(*Snapshot::Open(*directory))->segments()[0]->doc_id(0), "b");
}

TEST(IndexWriter, OverwritesAnIndexWhoseOnlyManifestIsDamaged) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  std::string damaged = ContentOf(*directory, ManifestFileName(1));
  damaged[60] ^= 1;
  ASSERT_TRUE(directory->Remove(ManifestFileName(1)).ok());
  WriteStranger(*directory, ManifestFileName(1), damaged);
  WriteStranger(*directory, SegmentFileName(9), "of somebody else");
  const auto before = FileNames(*directory);
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kAppend}) {
    const auto writer = IndexWriter::Open(*directory, mode, TestSettings());
    EXPECT_TRUE(absl::IsDataLoss(writer.status())) << writer.status();
    EXPECT_EQ(FileNames(*directory), before);
  }
  BuildStore(*directory, OpenMode::kOverwrite, {{{"c", "x"}}});
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(*(*snapshot)->segments()[0]->doc_id(0), "c");
  EXPECT_EQ(FileNames(*directory),
            std::set<std::string>({ManifestFileName((*snapshot)->manifest().generation),
                                   SegmentFileName(1), SegmentFileName(9)}));
  EXPECT_EQ(ContentOf(*directory, SegmentFileName(9)), "of somebody else");
}

// A failed publish may or may not have made a generation: the same writer must not count on either.
TEST(IndexWriter, PublishesNothingMoreAfterAFailure) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  for (uint64_t operation = 1;; ++operation) {
    FaultPlan plan(operation, absl::DataLossError("EIO"));
    const auto faulty = NewFaultyDirectory(*directory, plan);
    auto writer = IndexWriter::Open(*faulty, OpenMode::kAppend, TestSettings());
    if (!writer.ok()) continue;
    const auto input = MakeInput({{"b", "x"}});
    if (!(*writer)->WriteSegment(*input).ok()) continue;
    const absl::Status published = (*writer)->Publish();
    if (published.ok()) break;
    EXPECT_EQ((*writer)->Publish(), published);
  }
}

TEST(IndexWriter, RefusesADirectoryThatIsNeitherEmptyNorAnIndexBeforeItChangesAnything) {
  for (const char* stranger : {"notes.txt", "segment-0000000000000001.pmdex", "manifest-backup",
                               "manifest-0000000000000001"}) {
    const auto directory = NewDramDirectory("store");
    WriteStranger(*directory, stranger, "precious");
    WriteStranger(*directory, "manifest-0000000000000003.tmp", "also precious");
    for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kAppend, OpenMode::kOverwrite}) {
      const auto writer = IndexWriter::Open(*directory, mode, TestSettings());
      EXPECT_TRUE(absl::IsFailedPrecondition(writer.status())) << writer.status();
      EXPECT_NE(std::string(writer.status().message()).find(stranger), std::string::npos);
      const auto resumed = IndexWriter::OpenToResume(*directory, mode, "x", TestSettings());
      EXPECT_TRUE(absl::IsFailedPrecondition(resumed.status())) << resumed.status();
    }
    EXPECT_EQ(directory->List()->size(), 2u) << "no lock either";
    EXPECT_EQ(ContentOf(*directory, stranger), "precious");
  }
}

TEST(IndexWriter, AppendingWhereNothingIsLeavesNothing) {
  const auto directory = NewDramDirectory("store");
  EXPECT_TRUE(
      absl::IsNotFound(IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).status()));
  EXPECT_TRUE(directory->List()->empty());
}

// What is left of a first writer that died at any moment is no reason to refuse the next.
TEST(IndexWriter, TakesADirectoryWithNothingButRestsOfAWriter) {
  const auto directory = NewDramDirectory("store");
  ASSERT_TRUE(directory->Lock("write.lock").ok());
  WriteStranger(*directory, "manifest-0000000000000001.tmp", "");
  WriteStranger(*directory, "segment-0000000000000001.pmdex.tmp", "torn");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  EXPECT_EQ(FileNames(*directory).size(), 2u);
  const auto orphaned = NewDramDirectory("store");
  WriteOrphan(*orphaned, 5);
  BuildStore(*orphaned, OpenMode::kCreate, {{{"a", "x"}}});
  EXPECT_EQ(FileNames(*orphaned).size(), 2u);
}

// Files of others in an index may have the very names that its next files would get.
TEST(IndexWriter, NeverRenamesOverAFileThatItDidNotMake) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const std::set<std::string> strangers = {SegmentFileName(2), SegmentFileName(4)};
  for (const std::string& name : strangers) WriteStranger(*directory, name, "precious");
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}, {{"c", "x"}}});
  const auto snapshot = *Snapshot::Open(*directory);
  ASSERT_EQ(snapshot->segments().size(), 3u);
  EXPECT_EQ(snapshot->segments()[1]->segment_id(), 3u);
  EXPECT_EQ(snapshot->segments()[2]->segment_id(), 5u);
  for (const std::string& name : strangers) EXPECT_EQ(ContentOf(*directory, name), "precious");
}

// A file with the name of a manifest and another content counts as damage, because the medium may
// have lost its first page. Only --overwrite goes on. It takes a greater generation and keeps the
// file.
TEST(IndexWriter, OverwritesBesideAFileWithTheNameOfAManifest) {
  for (const uint64_t generation :
       {uint64_t{2}, uint64_t{700}, kMaxGeneration, kMaxGeneration + 1}) {
    const auto directory = NewDramDirectory("store");
    BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
    WriteStranger(*directory, ManifestFileName(generation), "precious");
    EXPECT_TRUE(absl::IsDataLoss(
        IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).status()));
    BuildStore(*directory, OpenMode::kOverwrite, {{{"b", "x"}}});
    const auto snapshot = *Snapshot::Open(*directory);
    EXPECT_EQ(*snapshot->segments()[0]->doc_id(0), "b");
    EXPECT_EQ(snapshot->manifest().generation > generation, generation < kMaxGeneration);
    EXPECT_EQ(ContentOf(*directory, ManifestFileName(generation)), "precious");
  }
}

TEST(IndexWriter, SaysWhenNoSegmentIdIsLeft) {
  const auto directory = NewDramDirectory("store");
  Manifest manifest;
  manifest.generation = 1;
  manifest.settings = TestSettings();
  manifest.next_segment_id = kSegmentIdLimit - 1;
  ASSERT_TRUE(PublishManifest(*directory, manifest).ok());
  BuildStore(*directory, OpenMode::kAppend, {{{"a", "x"}}});
  const auto writer = *IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings());
  EXPECT_TRUE(absl::IsFailedPrecondition(writer->WriteSegment(*MakeInput({{"b", "x"}})).status()));
}

TEST(IndexWriter, IsAloneOnItsDirectory) {
  const auto directory = NewDramDirectory("store");
  const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE(absl::IsUnavailable(
      IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings()).status()));
}

TEST(IndexWriter, KeepsPropertiesInTheManifest) {
  const auto directory = NewDramDirectory("store");
  auto writer = *IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
  writer->SetProperty("inputs", "/a");
  ASSERT_TRUE(writer->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->manifest().properties.at("inputs"), "/a");
}

TEST(IndexWriter, WritesSegmentsOfSeveralThreadsInTheOrderOfTheirIds) {
  const auto directory = NewDramDirectory("store");
  auto writer = *IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        const auto input = MakeInput({{std::to_string(t * 5 + i), "word"}});
        if (!writer->WriteSegment(*input).ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_TRUE(writer->Publish().ok());
  const auto snapshot = *Snapshot::Open(*directory);
  ASSERT_EQ(snapshot->segments().size(), 20u);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(snapshot->segments()[i]->segment_id(), i + 1);
}

}  // namespace index_writer_test
}  // namespace pmdex
