#include "pmem/persister.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/file_descriptor.h"
#include "pmem/mapping.h"
#include "pmem/page_persister.h"
#include "pmem/pmem2_persister.h"

namespace pmdex {
namespace persister_test {

std::vector<std::byte> RandomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// A file without a name, of `size` zero bytes.
FileDescriptor MakeFile(size_t size) {
  std::string path = testing::TempDir() + "pmdex_persister_XXXXXX";
  FileDescriptor fd(mkstemp(path.data()));
  EXPECT_TRUE(fd.valid()) << path;
  unlink(path.c_str());
  EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(size)), 0);
  return fd;
}

struct Forced {
  const char* name;
  StoreGranularity granularity;
};

class PersisterTest : public testing::TestWithParam<Forced> {
 protected:
  static constexpr size_t kBytes = 1 << 20;

  void SetUp() override {
    setenv("PMEM2_FORCE_GRANULARITY", GetParam().name, 1);
    fd_ = MakeFile(kBytes);
    auto mapping = Mapping::Map(fd_.get(), MapAccess::kReadWrite, "file");
    ASSERT_TRUE(mapping.ok()) << mapping.status();
    mapping_ = *std::move(mapping);
    persister_ = mapping_->NewPersister(-1, true);
  }
  void TearDown() override { unsetenv("PMEM2_FORCE_GRANULARITY"); }

  FileDescriptor fd_;
  std::unique_ptr<Mapping> mapping_;
  std::unique_ptr<Persister> persister_;
};

TEST_P(PersisterTest, TakesTheGranularityOfItsMapping) {
  EXPECT_EQ(mapping_->granularity(), GetParam().granularity);
  EXPECT_EQ(persister_->granularity(), GetParam().granularity);
  EXPECT_EQ(ToString(persister_->granularity()), GetParam().name);
}

TEST_P(PersisterTest, CopiesEveryLengthToEveryAlignment) {
  const auto source = RandomBytes(700, 1);
  std::vector<std::byte> expected(kBytes);
  size_t at = 0;
  for (size_t size = 0; size < 600; ++size) {
    at += 1 + size % 67;
    const auto piece = std::span(source).subspan(size % 64, size);
    persister_->CopyNonTemporal(mapping_->bytes().data() + at, piece);
    std::ranges::copy(piece, expected.begin() + static_cast<ptrdiff_t>(at));
    at += size;
  }
  ASSERT_TRUE(persister_->Drain().ok());
  EXPECT_TRUE(std::ranges::equal(mapping_->bytes(), expected));
}

TEST_P(PersisterTest, ReachesTheFileByReadToo) {
  const auto source = RandomBytes(10'000, 2);
  persister_->CopyNonTemporal(mapping_->bytes().data() + 4000, source);
  ASSERT_TRUE(persister_->Drain().ok());
  std::vector<std::byte> read(source.size());
  ASSERT_EQ(pread(fd_.get(), read.data(), read.size(), 4000), static_cast<ssize_t>(read.size()));
  EXPECT_EQ(read, source);
}

TEST_P(PersisterTest, CountsWhatItDoes) {
  const auto source = RandomBytes(100, 3);
  persister_->CopyNonTemporal(mapping_->bytes().data(), source);
  persister_->FlushRange(mapping_->bytes().data() + 200, 64);
  persister_->FlushRange(mapping_->bytes().data() + 400, 8);
  ASSERT_TRUE(persister_->Drain().ok());
  EXPECT_EQ(persister_->counters().copied_bytes, 100u);
  EXPECT_EQ(persister_->counters().flushed_bytes, 72u);
  EXPECT_EQ(persister_->counters().flushes, 2u);
  EXPECT_EQ(persister_->counters().drains, 1u);
}

constexpr Forced kForced[] = {{"BYTE", StoreGranularity::kByte},
                              {"CACHE_LINE", StoreGranularity::kCacheLine},
                              {"PAGE", StoreGranularity::kPage}};
INSTANTIATE_TEST_SUITE_P(Granularities, PersisterTest, testing::ValuesIn(kForced),
                         [](const auto& forced) { return std::string(forced.param.name); });

TEST(PagePersister, SaysSoWhenAWriteFails) {
  const FileDescriptor fd(open("/dev/full", O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd.valid());
  std::vector<std::byte> memory(8192);
  const auto persister = NewPagePersister(memory, fd.get(), true);
  EXPECT_TRUE(persister->Drain().ok());
  persister->CopyNonTemporal(memory.data(), RandomBytes(5000, 4));
  EXPECT_FALSE(persister->Drain().ok());
  EXPECT_FALSE(persister->Drain().ok()) << "nothing after it can be promised";
}

TEST(DramPersister, CopiesIntoOrdinaryMemory) {
  std::vector<std::byte> memory(8192);
  const auto source = RandomBytes(5000, 6);
  const auto persister = NewDramPersister();
  persister->CopyNonTemporal(memory.data() + 3, source);
  ASSERT_TRUE(persister->Drain().ok());
  EXPECT_TRUE(std::ranges::equal(std::span(memory).subspan(3, source.size()), source));
  EXPECT_EQ(persister->granularity(), StoreGranularity::kByte);
}

TEST(Mapping, RefusesAnEmptyFileAndABadDescriptor) {
  const FileDescriptor empty = MakeFile(0);
  EXPECT_EQ(Mapping::Map(empty.get(), MapAccess::kReadOnly, "empty").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Mapping::Map(-1, MapAccess::kReadOnly, "none").ok());
}

TEST(Mapping, PopulatesWritablePagesOfAHole) {
  const FileDescriptor fd = MakeFile(1 << 20);
  auto mapping = Mapping::Map(fd.get(), MapAccess::kReadWrite, "file");
  ASSERT_TRUE(mapping.ok());
  EXPECT_TRUE(PopulatePages((*mapping)->bytes(), 100, 5000, MapAccess::kReadWrite, "file").ok());
}

}  // namespace persister_test
}  // namespace pmdex
