// One contract for every Directory: each test runs on each medium below.
#include "pmem/directory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "pmem/allocated_bytes.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace directory_test {

enum class Place { kTempDir, kTmpfs, kDram };

struct Medium {
  const char* name;
  Place place;
  const char*
      forced_granularity;        // what libpmem2 is told by PMEM2_FORCE_GRANULARITY; null: nothing
  StoreGranularity granularity;  // expected here; an ordinary directory on real DAX says more
};

void PrintTo(const Medium& medium, std::ostream* out) {
  *out << medium.name;
}

constexpr char kForce[] = "PMEM2_FORCE_GRANULARITY";

std::vector<std::byte> RandomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

std::string AsString(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class DirectoryContract : public testing::TestWithParam<Medium> {
 protected:
  void SetUp() override {
    const Medium& medium = GetParam();
    if (medium.forced_granularity != nullptr) {
      ASSERT_EQ(setenv(kForce, medium.forced_granularity, 1), 0);
    } else {
      unsetenv(kForce);
    }
    if (medium.place == Place::kDram) {
      directory_ = NewDramDirectory("test");
      return;
    }
    std::string base = testing::TempDir();
    if (medium.place == Place::kTmpfs) {
      if (access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "/dev/shm is not writable here";
      base = "/dev/shm/";
    }
    path_ = base + "pmdex_directory_XXXXXX";
    ASSERT_NE(mkdtemp(path_.data()), nullptr) << path_;
    directory_ = Reopen();
  }

  void TearDown() override {
    directory_.reset();
    unsetenv(kForce);
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }

  bool OnFiles() const { return GetParam().place != Place::kDram; }

  std::unique_ptr<Directory> Reopen(FileDirectoryOptions options = {}) const {
    auto directory = OpenFileDirectory(path_, options);
    EXPECT_TRUE(directory.ok()) << directory.status();
    return directory.ok() ? *std::move(directory) : nullptr;
  }

  std::unique_ptr<WritableFile> MustCreate(std::string_view name, uint64_t capacity_bytes = 1) {
    auto file = directory_->Create(name, capacity_bytes);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *std::move(file) : nullptr;
  }

  std::unique_ptr<ReadableFile> MustOpen(std::string_view name) {
    auto file = directory_->Open(name);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *std::move(file) : nullptr;
  }

  void WriteFile(std::string_view name, std::string_view content) {
    auto file = MustCreate(name, content.size());
    file->CopyNonTemporal(0, AsBytes(content));
    ASSERT_TRUE(file->Drain().ok());
    ASSERT_TRUE(file->Seal(content.size()).ok());
    ASSERT_TRUE(directory_->Sync().ok());
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    auto entries = directory_->List();
    EXPECT_TRUE(entries.ok()) << entries.status();
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  std::string path_;
  std::unique_ptr<Directory> directory_;
};

TEST_P(DirectoryContract, ReportsTheGranularityThatFilesReallyGet) {
  if (GetParam().forced_granularity == nullptr && OnFiles()) {
    EXPECT_NE(ToString(directory_->granularity()), "");
  } else {
    EXPECT_EQ(directory_->granularity(), GetParam().granularity);
  }
  EXPECT_THAT(Names(), testing::IsEmpty()) << "the probe file stayed";
}

TEST_P(DirectoryContract, GivesBackTheBytesThatWereWritten) {
  const auto expected = RandomBytes(5'000'123, 1);
  auto file = MustCreate("a", expected.size());
  std::mt19937_64 random(2);
  for (size_t at = 0; at < expected.size();) {
    const size_t size = std::min<size_t>(random() % 70'000, expected.size() - at);
    const auto piece = std::span(expected).subspan(at, size);
    if (random() % 4 == 0) {
      file->StoreAndFlush(at, piece);
    } else {
      file->CopyNonTemporal(at, piece);
    }
    at += size;
  }
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(file->Seal(expected.size()).ok());
  ASSERT_TRUE(directory_->Sync().ok());

  auto read = MustOpen("a");
  ASSERT_EQ(read->bytes().size(), expected.size());
  EXPECT_TRUE(std::ranges::equal(read->bytes(), expected));
}

TEST_P(DirectoryContract, TakesWritesInAnyOrder) {
  const auto expected = RandomBytes(9 << 20, 3);
  auto file = MustCreate("a", expected.size());
  std::vector<size_t> pieces(expected.size() / 4096);
  for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = i;
  std::shuffle(pieces.begin(), pieces.end(), std::mt19937_64(4));
  for (size_t piece : pieces) {
    file->CopyNonTemporal(piece * 4096, std::span(expected).subspan(piece * 4096, 4096));
  }
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(file->Seal(expected.size()).ok());
  EXPECT_TRUE(std::ranges::equal(MustOpen("a")->bytes(), expected));
}

TEST_P(DirectoryContract, KeepsPiecesThatASequentialWriterComesBackTo) {
  // Behind a page cache, pieces of 2 MiB are unmapped after they are written. A header that is
  // written last must still reach the file.
  const auto body = RandomBytes(6 << 20, 5);
  auto file = MustCreate("a", body.size());
  for (size_t at = 0; at < body.size(); at += 1 << 20) {
    file->CopyNonTemporal(at, std::span(body).subspan(at, 1 << 20));
  }
  ASSERT_TRUE(file->Drain().ok());
  file->StoreAndFlush(0, AsBytes("header"));
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(file->Seal(body.size()).ok());
  auto read = MustOpen("a");
  EXPECT_EQ(AsString(read->bytes().first(6)), "header");
  EXPECT_TRUE(std::ranges::equal(read->bytes().subspan(6), std::span(body).subspan(6)));
}

TEST_P(DirectoryContract, CountsCopiesFlushesAndDrains) {
  auto file = MustCreate("a", 1 << 20);
  const auto bytes = RandomBytes(1000, 6);
  file->CopyNonTemporal(0, bytes);
  file->CopyNonTemporal(4096, bytes);
  EXPECT_EQ(file->counters().copied_bytes, 2000u);
  EXPECT_EQ(file->counters().flushes, 0u);
  file->StoreAndFlush(64, std::span(bytes).first(100));
  EXPECT_EQ(file->counters().flushes, 1u);
  EXPECT_EQ(file->counters().flushed_bytes, 100u);
  EXPECT_EQ(file->counters().drains, 0u);
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(file->Drain().ok());
  EXPECT_EQ(file->counters().drains, 2u);
  file->CopyNonTemporal(0, {});
  file->StoreAndFlush(0, {});
  EXPECT_EQ(file->counters().copied_bytes, 2000u);
  EXPECT_EQ(file->counters().flushes, 1u);
  ASSERT_TRUE(file->Seal(0).ok());
  EXPECT_EQ(file->counters().drains, 2u) << "Seal is no Drain";
}

TEST_P(DirectoryContract, RoundsCapacityUpToWholePages) {
  for (const uint64_t wanted : {uint64_t{0}, uint64_t{1}, uint64_t{4097}, kHugePageBytes - 1}) {
    const uint64_t capacity =
        MustCreate("small" + std::to_string(wanted), wanted)->capacity_bytes();
    EXPECT_TRUE(capacity == AllocatedBytes(wanted) || capacity == kHugePageBytes) << wanted;
  }
  EXPECT_EQ(MustCreate("c", kHugePageBytes)->capacity_bytes(), kHugePageBytes);
  EXPECT_EQ(MustCreate("d", kHugePageBytes + 1)->capacity_bytes(), 2 * kHugePageBytes);
}

TEST_P(DirectoryContract, MapsAtHugePageAddresses) {
  auto file = MustCreate("a", 3 * kHugePageBytes);
  ASSERT_TRUE(file->Seal(3 * kHugePageBytes).ok());
  auto read = MustOpen("a");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read->bytes().data()) % kHugePageBytes, 0u);
}

TEST_P(DirectoryContract, ReadsZeroWhereNothingWasWritten) {
  auto file = MustCreate("a", 4096);
  file->StoreAndFlush(100, AsBytes("x"));
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(file->Seal(200).ok());
  EXPECT_EQ(AsString(MustOpen("a")->bytes()), std::string(100, '\0') + "x" + std::string(99, '\0'));
}

TEST_P(DirectoryContract, OpensAnEmptyFileAsAnEmptySpan) {
  ASSERT_TRUE(MustCreate("a")->Seal(0).ok());
  auto read = MustOpen("a");
  EXPECT_TRUE(read->bytes().empty());
  EXPECT_TRUE(read->Populate(0, 100).ok());
}

TEST_P(DirectoryContract, PopulatesAnyRangeAndCutsWhatLiesOutside) {
  WriteFile("a", std::string(3'000'000, 'x'));
  auto read = MustOpen("a");
  EXPECT_TRUE(read->Populate(0, read->bytes().size()).ok());
  EXPECT_TRUE(read->Populate(5000, 1).ok());
  EXPECT_TRUE(read->Populate(2'999'999, UINT64_MAX).ok());
  EXPECT_TRUE(read->Populate(UINT64_MAX, UINT64_MAX).ok());
  EXPECT_TRUE(read->Populate(0, 0).ok());
}

TEST_P(DirectoryContract, KeepsTheBytesOfRangesThatArePrefetched) {
  const std::string text(3'000'000, 'x');
  WriteFile("a", text);
  auto read = MustOpen("a");
  read->Prefetch(0, 100);
  read->Prefetch(5000, 2'000'000);
  read->Prefetch(2'999'999, UINT64_MAX);
  read->Prefetch(UINT64_MAX, UINT64_MAX);
  read->Prefetch(0, 0);
  EXPECT_EQ(AsString(read->bytes()), text);
  ASSERT_TRUE(MustCreate("empty")->Seal(0).ok());
  MustOpen("empty")->Prefetch(0, 1);
}

TEST_P(DirectoryContract, KeepsTheBytesOfRangesThatAreReleased) {
  const std::string text(3'000'000, 'x');
  WriteFile("a", text);
  auto read = MustOpen("a");
  read->Release(0, 100);
  read->Release(5000, 2'000'000);
  read->Release(2'999'999, UINT64_MAX);
  read->Release(UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(AsString(read->bytes()), text);
}

TEST_P(DirectoryContract, RefusesToCreateANameTwice) {
  WriteFile("a", "first");
  EXPECT_EQ(directory_->Create("a", 1).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(AsString(MustOpen("a")->bytes()), "first");
}

TEST_P(DirectoryContract, SaysNotFoundForNamesThatAreNotThere) {
  EXPECT_EQ(directory_->Open("a").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(directory_->Remove("a").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(directory_->Rename("a", "b").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(directory_->Open("a").status())), testing::HasSubstr("/a: "));
}

TEST_P(DirectoryContract, RefusesNamesThatAreNotOnePathComponent) {
  WriteFile("good", "x");
  const std::string too_long(256, 'n');
  for (const std::string_view name :
       {std::string_view(""), std::string_view("."), std::string_view(".."),
        std::string_view("../a"), std::string_view("a/b"), std::string_view("/a"),
        std::string_view("a\0b", 3), std::string_view(too_long)}) {
    constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
    EXPECT_EQ(directory_->Create(name, 1).status().code(), kInvalid) << name;
    EXPECT_EQ(directory_->Open(name).status().code(), kInvalid) << name;
    EXPECT_EQ(directory_->Rename("good", name).code(), kInvalid) << name;
    EXPECT_EQ(directory_->Rename(name, "good").code(), kInvalid) << name;
    EXPECT_EQ(directory_->Remove(name).code(), kInvalid) << name;
    EXPECT_EQ(directory_->Lock(name).status().code(), kInvalid) << name;
  }
  EXPECT_THAT(Names(), testing::ElementsAre("good"));
  WriteFile(std::string(255, 'n'), "x");
}

TEST_P(DirectoryContract, ListsFilesSortedWithTheirSizes) {
  EXPECT_THAT(Names(), testing::IsEmpty());
  WriteFile("b", "12");
  WriteFile("a", "1");
  WriteFile("B", "123");
  auto entries = directory_->List();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "B");
  EXPECT_EQ((*entries)[0].size_bytes, 3u);
  EXPECT_EQ((*entries)[1].name, "a");
  EXPECT_EQ((*entries)[2].size_bytes, 2u);
  const auto names = directory_->ListNames();
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names, testing::ElementsAre("B", "a", "b"));
}

TEST_P(DirectoryContract, RenamesOverAnExistingFile) {
  WriteFile("tmp", "new");
  WriteFile("final", "old");
  auto old_view = MustOpen("final");
  ASSERT_TRUE(directory_->Rename("tmp", "final").ok());
  ASSERT_TRUE(directory_->Sync().ok());
  EXPECT_EQ(AsString(MustOpen("final")->bytes()), "new");
  EXPECT_EQ(AsString(old_view->bytes()), "old");
  EXPECT_THAT(Names(), testing::ElementsAre("final"));
  EXPECT_TRUE(directory_->Rename("final", "final").ok());
  EXPECT_EQ(AsString(MustOpen("final")->bytes()), "new");
}

TEST_P(DirectoryContract, KeepsViewsOfFilesThatWereRemoved) {
  const std::string content(3'000'000, 'v');
  WriteFile("a", content);
  auto view = MustOpen("a");
  ASSERT_TRUE(directory_->Remove("a").ok());
  ASSERT_TRUE(directory_->Sync().ok());
  EXPECT_THAT(Names(), testing::IsEmpty());
  EXPECT_EQ(AsString(view->bytes()), content);
  WriteFile("a", "another");
  EXPECT_EQ(AsString(view->bytes()), content);
}

TEST_P(DirectoryContract, KeepsViewsAndWritersThatOutliveTheDirectory) {
  WriteFile("a", "content");
  auto view = MustOpen("a");
  auto writer = MustCreate("b");
  directory_.reset();
  EXPECT_EQ(AsString(view->bytes()), "content");
  writer->StoreAndFlush(0, AsBytes("late"));
  EXPECT_TRUE(writer->Drain().ok());
  EXPECT_TRUE(writer->Seal(4).ok());
}

TEST_P(DirectoryContract, LeavesAnUnsealedFileForRecoveryToRemove) {
  MustCreate("a")->StoreAndFlush(0, AsBytes("half"));
  EXPECT_THAT(Names(), testing::ElementsAre("a"));
  EXPECT_GE(MustOpen("a")->bytes().size(), AllocatedBytes(1));
  EXPECT_TRUE(directory_->Remove("a").ok());
}

TEST_P(DirectoryContract, SealsAFileThatWasRenamedWhileOpen) {
  auto file = MustCreate("a");
  file->StoreAndFlush(0, AsBytes("moved"));
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(directory_->Rename("a", "b").ok());
  ASSERT_TRUE(file->Seal(5).ok());
  EXPECT_EQ(AsString(MustOpen("b")->bytes()), "moved");
}

TEST_P(DirectoryContract, GivesALockToOneHolderAtATime) {
  auto first = directory_->Lock("LOCK");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(directory_->Lock("LOCK").status().code(), absl::StatusCode::kUnavailable);
  if (OnFiles()) {
    EXPECT_EQ(Reopen()->Lock("LOCK").status().code(), absl::StatusCode::kUnavailable);
  }
  EXPECT_TRUE(directory_->Lock("OTHER").ok());
  first->reset();
  EXPECT_TRUE(directory_->Lock("LOCK").ok());
  EXPECT_THAT(Names(), testing::ElementsAre("LOCK", "OTHER"));
}

TEST_P(DirectoryContract, OpensOtherDirectoriesByTheirPaths) {
  const TemporaryDirectory root;
  const std::string path = root / "other";
  EXPECT_EQ(directory_->OpenElsewhere(path, false).status().code(), absl::StatusCode::kNotFound);
  auto other = directory_->OpenElsewhere(path, true);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)->path(), path);
  auto file = (*other)->Create("a", 1);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Seal(1).ok());
  EXPECT_TRUE((*directory_->OpenElsewhere(path, false))->Open("a").ok());
  EXPECT_FALSE(directory_->Open("a").ok());
  for (const char* no_path : {"", "other", "/a/../b", "/a/"}) {
    EXPECT_EQ(directory_->OpenElsewhere(no_path, true).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(DirectoryContract, ReportsFreeBytes) {
  auto free_bytes = directory_->FreeBytes();
  ASSERT_TRUE(free_bytes.ok()) << free_bytes.status();
  EXPECT_GT(*free_bytes, 0u);
}

TEST_P(DirectoryContract, SaysResourceExhaustedWhenThereIsNoSpace) {
  for (const uint64_t capacity_bytes : {uint64_t{1} << 60, uint64_t{INT64_MAX}, UINT64_MAX}) {
    auto file = directory_->Create("huge", capacity_bytes);
    EXPECT_EQ(file.status().code(), absl::StatusCode::kResourceExhausted) << file.status();
  }
  EXPECT_THAT(Names(), testing::IsEmpty()) << "the half-made file stayed";
  WriteFile("small", "still works");
}

TEST_P(DirectoryContract, IsUsableFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 8; ++i) {
        const std::string name = "f" + std::to_string(t) + "_" + std::to_string(i);
        auto file = directory_->Create(name, 1);
        ASSERT_TRUE(file.ok()) << file.status();
        (*file)->StoreAndFlush(0, AsBytes(name));
        const absl::Status drained = (*file)->Drain();
        ASSERT_TRUE(drained.ok()) << drained;
        const absl::Status sealed = (*file)->Seal(name.size());
        ASSERT_TRUE(sealed.ok()) << sealed;
        ASSERT_TRUE(directory_->Rename(name, "done_" + name).ok());
        auto read = directory_->Open("done_" + name);
        ASSERT_TRUE(read.ok()) << read.status();
        EXPECT_EQ(AsString((*read)->bytes()), name);
        EXPECT_EQ(directory_->granularity(), directory_->granularity());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Names().size(), 32u);
}

using DirectoryContractDeathTest = DirectoryContract;

TEST_P(DirectoryContractDeathTest, RefusesWritesBeyondTheCapacityAndAfterSeal) {
  auto file = MustCreate("a");
  const auto bytes = RandomBytes(100, 7);
  const uint64_t capacity = file->capacity_bytes();
  EXPECT_DEATH(file->CopyNonTemporal(capacity - 99, bytes), "broken invariant");
  EXPECT_DEATH(file->StoreAndFlush(UINT64_MAX, bytes), "broken invariant");
  EXPECT_DEATH((void)file->Seal(capacity + 1), "broken invariant");
  ASSERT_TRUE(file->Seal(0).ok());
  EXPECT_DEATH(file->CopyNonTemporal(0, bytes), "broken invariant");
  EXPECT_DEATH((void)file->Drain(), "broken invariant");
}

constexpr Medium kMedia[] = {
    {"Ordinary", Place::kTempDir, nullptr, StoreGranularity::kPage},
    {"Tmpfs", Place::kTmpfs, nullptr, StoreGranularity::kPage},
    {"Dram", Place::kDram, nullptr, StoreGranularity::kByte},
    // On tmpfs: libpmem2 maps with MAP_SYNC over addresses that it has reserved. Where ext4 refuses
    // that, the kernel has given the reservation up, and another thread may get the addresses
    // before libpmem2 maps without the flag. tmpfs refuses before that, and DAX does not refuse.
    {"ForcedPage", Place::kTmpfs, "PAGE", StoreGranularity::kPage},
    {"ForcedCacheLine", Place::kTmpfs, "CACHE_LINE", StoreGranularity::kCacheLine},
    {"ForcedByte", Place::kTmpfs, "BYTE", StoreGranularity::kByte},
};
const auto kMediumName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Media, DirectoryContract, testing::ValuesIn(kMedia), kMediumName);
INSTANTIATE_TEST_SUITE_P(Media, DirectoryContractDeathTest,
                         testing::Values(kMedia[0], kMedia[2], kMedia[4]), kMediumName);

}  // namespace directory_test
}  // namespace pmdex
