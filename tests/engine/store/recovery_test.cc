#include "engine/store/recovery.h"

#include <gtest/gtest.h>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace recovery_test {

void Touch(Directory& directory, std::string_view name) {
  auto file = directory.Create(name, 1);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Seal(1).ok());
}

TEST(Recovery, RemovesWhatNoManifestListsAndNothingElse) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}});
  const auto before = FileNames(*directory);
  for (const char* name : {"segment-0000000000000099.pmdex", "segment-0000000000000100.pmdex.tmp",
                           "manifest-0000000000000005.tmp"}) {
    Touch(*directory, name);
  }
  Touch(*directory, "notes.txt");
  std::vector<absl::Status> passed_over;
  const auto manifest = LoadManifestOrEmpty(*directory, passed_over);
  ASSERT_TRUE(manifest.ok());
  EXPECT_TRUE(passed_over.empty());
  for (int twice = 0; twice < 2; ++twice) {
    ASSERT_TRUE(RemoveUnlistedFiles(*directory, *manifest).ok());
    auto expected = before;
    expected.insert("notes.txt");
    EXPECT_EQ(FileNames(*directory), expected);
  }
}

TEST(Recovery, KeepsTheSegmentsOfAnUnfinishedBuild) {
  const auto directory = NewDramDirectory("store");
  Touch(*directory, "segment-0000000000000007.pmdex");
  Touch(*directory, "segment-0000000000000008.pmdex");
  Manifest manifest;
  manifest.generation = 1;
  manifest.pending.emplace();
  manifest.pending->segments.emplace_back().id = 7;
  ASSERT_TRUE(RemoveUnlistedFiles(*directory, manifest).ok());
  EXPECT_EQ(FileNames(*directory), std::set<std::string>{"segment-0000000000000007.pmdex"});
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
  Touch(*directory, "segment-0000000000000002.pmdex.tmp");  // a writer that died
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}});
  EXPECT_FALSE(FileNames(*directory).contains("segment-0000000000000002.pmdex.tmp"));
}

}  // namespace recovery_test
}  // namespace pmdex
