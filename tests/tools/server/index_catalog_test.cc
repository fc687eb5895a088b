#include "tools/server/index_catalog.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/store/index_writer.h"
#include "tests/tools/server/served_library.h"
#include "tools/command.h"

namespace pmdex {
namespace index_catalog_test {

TEST(IndexCatalog, TakesTheNameFromTheFlagOrFromTheDirectory) {
  EXPECT_EQ(ParseIndexSource("books=/data/x")->name, "books");
  EXPECT_EQ(ParseIndexSource("books=/data/x")->directory, "/data/x");
  EXPECT_EQ(ParseIndexSource("/data/books/")->name, "books");
  EXPECT_EQ(ParseIndexSource("/data/a=b")->directory, "/data/a=b");
  EXPECT_EQ(ParseIndexSource(".")->name, "index");
  for (const char* wrong : {"", "=x", "a=", "_a=x", "a b=x", "-a=x", "a%=x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseIndexSource(wrong).status())) << wrong;
  }
}

TEST(IndexCatalog, OpensANewerGenerationBesideTheOneThatIsInUse) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  auto opened = IndexCatalog::Open({{"one", path}}, /*prefault=*/true);
  ASSERT_TRUE(opened.ok()) << opened.status();
  IndexCatalog& catalog = **opened;
  EXPECT_EQ(*catalog.Reload(0), false);
  const auto before = catalog.Current();
  const uint64_t version = catalog.version();
  PublishLines(path, directory, "apple pear\n");
  ASSERT_TRUE(catalog.Reload(0).ok());
  EXPECT_GT(catalog.version(), version);
  EXPECT_EQ((*before)[0]->searcher->snapshot().doc_count(), 1u);
  EXPECT_EQ((*catalog.Current())[0]->searcher->snapshot().doc_count(), 2u);
  EXPECT_EQ((*catalog.Current())[0]->searcher->snapshot().segments()[0],
            (*before)[0]->searcher->snapshot().segments()[0])
      << "mapped once";
  EXPECT_EQ(catalog.CurrentWithHistory().history[0].reloads, 1u);
  catalog.DropUnused();
  EXPECT_TRUE(catalog.has_unused());  // `before` uses it
}

TEST(IndexCatalog, StaysWhileABuildWritesWhatNobodySeesYet) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  auto catalog = IndexCatalog::Open({{"one", path}}, /*prefault=*/false);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto before = (*catalog)->Current();
  const Snapshot& snapshot = (*before)[0]->searcher->snapshot();
  auto files = OpenIndexDirectory(path);
  ASSERT_TRUE(files.ok()) << files.status();
  auto writer = IndexWriter::Open(**files, OpenMode::kAppend, snapshot.settings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->StartBuild("x").ok());
  EXPECT_GT((*writer)->published().generation, snapshot.manifest().generation);
  EXPECT_EQ(*(*catalog)->Reload(0), false);
  EXPECT_EQ((*catalog)->Current(), before);
}

TEST(IndexCatalog, UnmapsAGenerationThatNobodyUses) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  auto catalog = IndexCatalog::Open({{"one", path}}, /*prefault=*/false);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  PublishLines(path, directory, "pear\n");
  ASSERT_TRUE(*(*catalog)->Reload(0));
  EXPECT_TRUE((*catalog)->has_unused());
  (*catalog)->DropUnused();
  EXPECT_FALSE((*catalog)->has_unused());
}

TEST(IndexCatalog, KeepsTheGenerationThatAnswersIfANewerOneIsDamaged) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  auto catalog = IndexCatalog::Open({{"one", path}}, /*prefault=*/false);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto before = (*catalog)->Current();
  std::vector<std::filesystem::path> old_files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    old_files.push_back(entry.path());
  }
  PublishLines(path, directory, "pear\n");
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const bool is_old =
        std::find(old_files.begin(), old_files.end(), entry.path()) != old_files.end();
    if (!is_old && entry.path().extension() == ".pmdex") {
      std::filesystem::resize_file(entry.path(), 100);
    }
  }
  EXPECT_FALSE((*catalog)->Reload(0).ok());
  EXPECT_EQ((*catalog)->Current(), before);
  EXPECT_EQ((*catalog)->CurrentWithHistory().history[0].failures, 1u);
}

TEST(IndexCatalog, RefusesTwoIndexesOfOneNameAndAMissingOne) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  EXPECT_TRUE(
      absl::IsInvalidArgument(IndexCatalog::Open({{"one", path}, {"one", path}}, false).status()));
  EXPECT_FALSE(IndexCatalog::Open({{"one", directory / "missing"}}, false).ok());
}

// How many KiB of the files below the directory this process has mapped, and how many are in its
// page tables.
struct MappedKib {
  uint64_t size = 0;
  uint64_t resident = 0;
};

MappedKib MappedBelow(const std::string& directory) {
  MappedKib sum;
  std::ifstream maps("/proc/self/smaps");
  bool is_below = false;
  for (std::string line; std::getline(maps, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (!name.ends_with(':')) is_below = line.find(directory) != line.npos;
    if (is_below && name == "Size:") sum.size += std::stoull(line.substr(name.size()));
    if (is_below && name == "Rss:") sum.resident += std::stoull(line.substr(name.size()));
  }
  return sum;
}

TEST(IndexCatalog, MapsThePagesOfANewGenerationBeforeItAnswers) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += "w" + std::to_string(i) + " v" + std::to_string(i * 7) + "\n";
  PublishLines(path, directory, lines);
  auto catalog = IndexCatalog::Open({{"one", path}}, /*prefault=*/true);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const MappedKib first = MappedBelow(path);
  EXPECT_GT(first.size, 1000u);
  EXPECT_EQ(first.resident, first.size);
  PublishLines(path, directory, lines);
  EXPECT_EQ(*(*catalog)->Reload(0), true);
  const MappedKib second = MappedBelow(path);
  EXPECT_GT(second.size, first.size);
  EXPECT_EQ(second.resident, second.size);
}

}  // namespace index_catalog_test
}  // namespace pmdex
