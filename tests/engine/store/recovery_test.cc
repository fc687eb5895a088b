#include "engine/store/recovery.h"

#include <gtest/gtest.h>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace recovery_test {

using Names = std::set<std::string>;

void Recover(Directory& directory) {
  std::vector<absl::Status> passed_over;
  const auto manifest = LoadManifestOrEmpty(directory, passed_over);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_TRUE(passed_over.empty());
  ASSERT_TRUE(RemoveUnlistedFiles(directory, *manifest).ok());
}

TEST(Recovery, RemovesWhatNoManifestListsAndNothingElse) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  Names expected = FileNames(*directory);
  WriteOrphan(*directory, 0x99);
  for (const char* name : {"segment-0000000000000100.pmdex.tmp", "manifest-0000000000000005.tmp"}) {
    WriteStranger(*directory, name, "whatever a crash leaves");
  }
  WriteStranger(*directory, "notes.txt", "notes");
  expected.insert("notes.txt");
  for (int twice = 0; twice < 2; ++twice) {
    Recover(*directory);
    EXPECT_EQ(FileNames(*directory), expected);
  }
}

TEST(Recovery, RemovesAManifestThatWasReplaced) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const Manifest first = *LoadNewestManifest(*directory, nullptr);
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}});
  const Names expected = FileNames(*directory);
  ASSERT_TRUE(PublishManifest(*directory, first).ok());
  ASSERT_NE(FileNames(*directory), expected);
  Recover(*directory);
  EXPECT_EQ(FileNames(*directory), expected);
}

// Names that are nearly ours, and names that are ours of files that are not.
TEST(Recovery, KeepsWhatOthersPutIntoTheDirectory) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const std::string segment = ContentOf(*directory, SegmentFileName(1));
  Names expected = FileNames(*directory);
  for (const char* name :
       {"segment-backup.pmdex", "segment-backup.pmdex.tmp", "segment-12.pmdex",
        "segment-12.pmdex.tmp", "segment-00000000000000AB.pmdex",
        "segment-0000000000000012.pmdex.old", "segment-0000000000000012",
        "segment-0000000000000012.pmdex", "manifest-12", "manifest-0000000000000000.tmp.tmp",
        "manifest-final.tmp", "manifest.tmp", ".tmp", "notes.tmp"}) {
    WriteStranger(*directory, name, "precious");
    expected.insert(name);
  }
  // A copy of a segment under the name of another one was not made by pmdex.
  WriteStranger(*directory, SegmentFileName(0x77), segment);
  expected.insert(SegmentFileName(0x77));
  WriteStranger(*directory, SegmentFileName(0x78), "");
  expected.insert(SegmentFileName(0x78));
  Recover(*directory);
  EXPECT_EQ(FileNames(*directory), expected);
  EXPECT_EQ(ContentOf(*directory, "segment-0000000000000012.pmdex"), "precious");
}

TEST(Recovery, KeepsTheSegmentsOfAnUnfinishedBuild) {
  const auto directory = NewDramDirectory("store");
  WriteOrphan(*directory, 7);
  WriteOrphan(*directory, 8);
  Manifest manifest;
  manifest.generation = 1;
  manifest.pending.emplace();
  manifest.pending->segments.emplace_back().id = 7;
  ASSERT_TRUE(RemoveUnlistedFiles(*directory, manifest).ok());
  EXPECT_EQ(FileNames(*directory), Names{"segment-0000000000000007.pmdex"});
}

TEST(Recovery, AnEmptyDirectoryIsGenerationZero) {
  const auto directory = NewDramDirectory("store");
  std::vector<absl::Status> passed_over;
  const auto manifest = LoadManifestOrEmpty(*directory, passed_over);
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->generation, 0u);
}

TEST(Recovery, HappensWhenTheNextWriterOpens) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  WriteStranger(*directory, "segment-0000000000000002.pmdex.tmp", "half");  // a writer that died
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}});
  EXPECT_FALSE(FileNames(*directory).contains("segment-0000000000000002.pmdex.tmp"));
}

}  // namespace recovery_test
}  // namespace pmdex
