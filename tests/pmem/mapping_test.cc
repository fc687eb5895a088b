#include "pmem/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/directory.h"

namespace pmdex {
namespace mapping_test {

class MappingTest : public testing::Test {
 protected:
  MappingTest() {
    path_ = testing::TempDir() + "/mapping-" + std::to_string(getpid());
    fd_ = open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600);
  }
  ~MappingTest() override {
    close(fd_);
    unlink(path_.c_str());
  }

  std::string path_;
  int fd_ = -1;
};

TEST_F(MappingTest, ShowsTheFileAndALargeOneAtAnAlignedAddress) {
  for (const size_t size_bytes : {1u, 4096u, 5000u, 2u << 20, (2u << 20) + 1, 5'000'000u}) {
    ASSERT_EQ(ftruncate(fd_, 0), 0);
    const std::string text(size_bytes, 'm');
    ASSERT_EQ(pwrite(fd_, text.data(), size_bytes, 0), static_cast<ssize_t>(size_bytes));
    const auto mapping = Mapping::Map(fd_, MapAccess::kReadOnly, path_);
    ASSERT_TRUE(mapping.ok()) << mapping.status();
    ASSERT_EQ((*mapping)->bytes().size(), size_bytes);
    if (size_bytes >= kHugePageBytes) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>((*mapping)->bytes().data()) % kHugePageBytes, 0u);
    }
    EXPECT_EQ(std::memcmp((*mapping)->bytes().data(), text.data(), size_bytes), 0);
  }
}

TEST_F(MappingTest, RefusesAnEmptyFileAndAClosedOne) {
  EXPECT_FALSE(Mapping::Map(fd_, MapAccess::kReadOnly, path_).ok());
  EXPECT_FALSE(Mapping::Map(-1, MapAccess::kReadOnly, path_).ok());
}

// A mapping must never replace memory that another thread got while the mapping was made.
TEST_F(MappingTest, LeavesTheMemoryOfOtherThreadsAlone) {
  constexpr size_t kBytes = size_t{2} << 20;
  ASSERT_EQ(ftruncate(fd_, kBytes), 0);
  std::atomic<bool> done = false;
  std::atomic<int> clobbered = 0;
  const auto use_memory = [&] {
    while (!done) {
      void* const memory =
          mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(memory, MAP_FAILED);
      auto* const byte = static_cast<volatile char*>(memory);
      *byte = 7;
      for (int i = 0; i < 20; ++i) std::this_thread::yield();
      clobbered += *byte == 7 ? 0 : 1;  // a file mapped over it shows its zeros
      munmap(memory, kBytes);
    }
  };
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) others.emplace_back(use_memory);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr int kMappings = 1000;  // each clears the shadow of the memory
#else
  constexpr int kMappings = 30000;
#endif
  for (int i = 0; i < kMappings && clobbered == 0; ++i) {
    const auto mapping = Mapping::Map(fd_, MapAccess::kReadOnly, path_);
    ASSERT_TRUE(mapping.ok());
  }
  done = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(clobbered, 0);
}

// How much of a mapping is in the page table, in KiB, as the kernel counts it.
uint64_t MappedKib(const std::byte* address) {
  char begin[32];
  std::snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(address));
  std::ifstream maps("/proc/self/smaps");
  bool is_found = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with(begin)) is_found = true;
    if (is_found && line.starts_with("Rss:")) return std::stoull(line.substr(4));
  }
  return UINT64_MAX;
}

// Longer than what one call of the kernel is asked for.
TEST_F(MappingTest, PopulatesAndReleasesWholeRanges) {
  constexpr uint64_t kSize = (9 << 20) + 5000;
  ASSERT_EQ(ftruncate(fd_, kSize), 0);
  const auto mapping = Mapping::Map(fd_, MapAccess::kReadOnly, "file");
  ASSERT_TRUE(mapping.ok()) << mapping.status();
  const auto bytes = (*mapping)->bytes();
  const absl::Status populated = PopulatePages(bytes, 0, kSize, MapAccess::kReadOnly, "file");
  ASSERT_TRUE(populated.ok()) << populated;
  if (MappedKib(bytes.data()) == 0) GTEST_SKIP() << "this kernel populates nothing";
  EXPECT_GE(MappedKib(bytes.data()), kSize >> 10);
  ReleasePages(bytes, 0, kSize);
  EXPECT_LE(MappedKib(bytes.data()), 8u) << "the last page alone";
}

}  // namespace mapping_test
}  // namespace pmdex
