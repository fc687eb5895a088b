#include "engine/store/known_files/known_files_store.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"

#include "engine/store/index_writer.h"
#include "engine/store/known_files/known_files.h"
#include "engine/store/store_verifier.h"
#include "pmem/directory.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/faulty_directory.h"

namespace pmdex {
namespace known_files_store_test {

using Model = std::map<std::string, KnownFile>;

Model ModelOf(const KnownFiles& known) {
  Model model;
  known.ForEach([&](const std::string& path, const KnownFile& file) { model[path] = file; });
  return model;
}

absl::StatusOr<KnownFiles> Load(const Directory& directory) {
  const auto manifest = LoadNewestManifest(directory, nullptr);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  return LoadKnownFiles(directory, *manifest);
}

void Change(KnownFiles& known, Model& model, std::mt19937_64& random, int changes) {
  for (int i = 0; i < changes; ++i) {
    const std::string path = absl::StrCat("tree/", random() % 500);
    if (random() % 3 == 0) {
      known.Remove(path);
      model.erase(path);
      continue;
    }
    const KnownFile file = {{random() % 100, static_cast<int64_t>(random()), random() % 300, 1},
                            KnownState::kIndexed,
                            false};
    known.Set(path, file);
    model[path] = file;
  }
}

// One generation with the changes, as `pmdex watch` makes it.
absl::Status Publish(Directory& directory, OpenMode mode, KnownFiles& known) {
  PMDEX_ASSIGN_OR_RETURN(const auto writer, IndexWriter::Open(directory, mode, TestSettings()));
  PMDEX_ASSIGN_OR_RETURN(
      std::string property,
      WriteKnownFiles(directory, known, KnownFilesPropertyOf(writer->published())));
  writer->SetProperty(kKnownFilesProperty, std::move(property));
  PMDEX_RETURN_IF_ERROR(writer->Publish());
  known.ClearChanges();
  return absl::OkStatus();
}

size_t CountKnownFiles(const Directory& directory) {
  size_t count = 0;
  for (const std::string& name : FileNames(directory)) count += name.starts_with("known-files-");
  return count;
}

TEST(KnownFilesStore, EveryGenerationHasWhatWasKnownThen) {
  const auto directory = NewDramDirectory("store");
  std::mt19937_64 random(1);
  KnownFiles known;
  Model model;
  for (int round = 0; round < 60; ++round) {
    Change(known, model, random, static_cast<int>(random() % 50));
    const OpenMode mode = round == 0 ? OpenMode::kCreate : OpenMode::kAppend;
    ASSERT_TRUE(Publish(*directory, mode, known).ok());
    const auto loaded = Load(*directory);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(ModelOf(*loaded), model);
    EXPECT_TRUE(loaded->changes().empty());
    // The list is short, and no file is left that it does not name.
    const auto listed =
        DecodeKnownFilesList(KnownFilesPropertyOf(*LoadNewestManifest(*directory, nullptr)));
    ASSERT_TRUE(listed.ok());
    EXPECT_LE(listed->size(), 10u);
    EXPECT_EQ(CountKnownFiles(*directory), listed->size());
  }
}

TEST(KnownFilesStore, OtherWritersKeepIt_AndOverwriteRemovesIt) {
  const auto directory = NewDramDirectory("store");
  KnownFiles known;
  known.Set("a", {{1, 2, 3, 4}, KnownState::kPassedOver, true});
  ASSERT_TRUE(Publish(*directory, OpenMode::kCreate, known).ok());
  BuildStore(*directory, OpenMode::kAppend, {{{"b", "x"}}});
  const auto kept = Load(*directory);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(ModelOf(*kept), ModelOf(known));
  BuildStore(*directory, OpenMode::kOverwrite, {{{"b", "x"}}});
  EXPECT_EQ(Load(*directory)->size(), 0u);
  EXPECT_EQ(CountKnownFiles(*directory), 0u);
}

// At every operation in turn, the medium fails for good. The next writer finds the old generation
// or the new one, never a mixture.
TEST(KnownFilesStore, AFailedWriteLeavesTheGenerationBefore) {
  bool touched = true;
  for (uint64_t at = 1; touched; ++at) {
    const auto directory = NewDramDirectory("store");
    KnownFiles known;
    known.Set("a", {{1, 2, 3, 4}, KnownState::kIndexed, false});
    ASSERT_TRUE(Publish(*directory, OpenMode::kCreate, known).ok());
    const Model before = ModelOf(known);
    known.Set("b", {{5, 6, 7, 8}, KnownState::kIndexed, false});
    FaultPlan plan(at, absl::InternalError("the medium failed"), /*for_good=*/true);
    const auto faulty = NewFaultyDirectory(*directory, plan);
    const absl::Status published = Publish(*faulty, OpenMode::kAppend, known);
    touched = plan.touched();
    const auto loaded = Load(*directory);
    ASSERT_TRUE(loaded.ok()) << plan.failed() << ": " << loaded.status();
    const Model after = ModelOf(*loaded);
    EXPECT_TRUE(after == ModelOf(known) || (!published.ok() && after == before)) << plan.failed();
    // The next writer removes what is left.
    ASSERT_TRUE(IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).ok());
    EXPECT_EQ(CountKnownFiles(*directory),
              DecodeKnownFilesList(KnownFilesPropertyOf(*LoadNewestManifest(*directory, nullptr)))
                  ->size());
  }
}

// A crash before the first manifest leaves a directory that can still become an index.
TEST(KnownFilesStore, AnUnlistedFileDoesNotMakeADirectoryForeign) {
  const auto directory = NewDramDirectory("store");
  KnownFiles known;
  known.Set("a", {{1, 2, 3, 4}, KnownState::kIndexed, false});
  ASSERT_TRUE(WriteKnownFiles(*directory, known, "").ok());
  ASSERT_TRUE(Publish(*directory, OpenMode::kCreate, known).ok());
  EXPECT_EQ(ModelOf(*Load(*directory)), ModelOf(known));
  EXPECT_EQ(CountKnownFiles(*directory), 1u);
}

TEST(KnownFilesStore, ReplacesNoFileThatAnotherProgramMade) {
  const auto directory = NewDramDirectory("store");
  const std::string other = "mine, and not of pmdex";
  auto file = directory->Create(KnownFilesName(1), other.size());
  ASSERT_TRUE(file.ok());
  (*file)->StoreAndFlush(0, std::as_bytes(std::span(other)));
  ASSERT_TRUE((*file)->Seal(other.size()).ok());
  KnownFiles known;
  known.Set("a", {{1, 2, 3, 4}, KnownState::kIndexed, false});
  const auto property = WriteKnownFiles(*directory, known, "");
  ASSERT_TRUE(property.ok()) << property.status();
  EXPECT_TRUE(property->starts_with("2:")) << *property;
  EXPECT_EQ((*directory->Open(KnownFilesName(1)))->bytes().size(), other.size());
}

TEST(KnownFilesStore, VerifyFindsADamagedAndAMissingFile) {
  const auto directory = NewDramDirectory("store");
  KnownFiles known;
  known.Set("a", {{1, 2, 3, 4}, KnownState::kIndexed, false});
  ASSERT_TRUE(Publish(*directory, OpenMode::kCreate, known).ok());
  EXPECT_TRUE(VerifyStore(*directory)->findings.empty());
  const auto file = directory->Open(KnownFilesName(1));
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> bytes((*file)->bytes().begin(), (*file)->bytes().end());
  bytes[40] ^= std::byte{1};
  ASSERT_TRUE(directory->Remove(KnownFilesName(1)).ok());
  auto findings = VerifyStore(*directory)->findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].section, "known files");
  EXPECT_TRUE(absl::IsNotFound(Load(*directory).status()));
  auto damaged = directory->Create(KnownFilesName(1), bytes.size());
  ASSERT_TRUE(damaged.ok());
  (*damaged)->StoreAndFlush(0, bytes);
  ASSERT_TRUE((*damaged)->Seal(bytes.size()).ok());
  findings = VerifyStore(*directory)->findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].what.find("wrong checksum"), std::string::npos) << findings[0].what;
  EXPECT_TRUE(absl::IsDataLoss(Load(*directory).status()));
}

}  // namespace known_files_store_test
}  // namespace pmdex
