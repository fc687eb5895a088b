#include "engine/ingest/reading/direct_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <random>

#include "engine/ingest/ingest_options.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace direct_file_test {

constexpr size_t kPage = DirectFile::kAlignment;

struct FreeAligned {
  void operator()(char* bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<char, FreeAligned>;
AlignedBytes NewAligned(size_t size_bytes) {
  return AlignedBytes(static_cast<char*>(std::aligned_alloc(kPage, size_bytes)));
}

std::string RandomText(size_t size_bytes) {
  std::mt19937 random(3);
  std::string text(size_bytes, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

class DirectFileOf : public IngestFixture, public testing::WithParamInterface<DirectIo> {
 protected:
  static constexpr size_t kFileBytes = 16 * kPage + 100;

  DirectFileOf() : text_(RandomText(kFileBytes)) {
    fd_ = FileDescriptor(open(Write("f", text_).c_str(), O_RDONLY | O_CLOEXEC));
    fsync(fd_.get());
  }
  // `forgotten`: the page cache does not have the file.
  std::string Read(DirectFile& file, size_t size_bytes, uint64_t offset, bool forgotten = false) {
    if (forgotten) posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
    const AlignedBytes bytes = NewAligned(32 * kPage);
    const int64_t got = file.Read(bytes.get(), size_bytes, offset);
    return got < 0 ? "error" : std::string(bytes.get(), static_cast<size_t>(got));
  }

  const std::string text_;
  FileDescriptor fd_;
};

TEST_P(DirectFileOf, GivesTheBytesOfTheFile) {
  DirectFile file(fd_.get(), GetParam());
  for (const bool forgotten : {false, true}) {
    EXPECT_EQ(Read(file, 4 * kPage, 2 * kPage, forgotten), text_.substr(2 * kPage, 4 * kPage));
    EXPECT_EQ(Read(file, 16 * kPage, 0, forgotten), text_.substr(0, 16 * kPage));
  }
}

TEST_P(DirectFileOf, EndsWhereTheFileEnds) {
  DirectFile file(fd_.get(), GetParam());
  for (const bool forgotten : {false, true}) {
    const bool direct = file.is_direct();
    EXPECT_EQ(Read(file, 8 * kPage, 12 * kPage, forgotten), text_.substr(12 * kPage));
    EXPECT_EQ(Read(file, kPage, 20 * kPage, forgotten), "");
    EXPECT_EQ(file.is_direct(), direct);  // an end is no refusal
  }
}

TEST_P(DirectFileOf, ReadsRangesThatAreNotAlignedToo) {
  DirectFile file(fd_.get(), GetParam());
  EXPECT_EQ(Read(file, 5000, 77, true), text_.substr(77, 5000));
}

INSTANTIATE_TEST_SUITE_P(Mode, DirectFileOf,
                         testing::Values(DirectIo::kAuto, DirectIo::kOn, DirectIo::kOff),
                         [](const auto& mode) {
                           return mode.param == DirectIo::kAuto ? "Auto"
                                  : mode.param == DirectIo::kOn ? "On"
                                                                : "Off";
                         });

TEST_F(IngestFixture, DirectFileReadsThroughTheCacheWhereTheFileSystemRefuses) {
  const FileDescriptor fd(open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  DirectFile file(fd.get(), DirectIo::kOn);
  EXPECT_FALSE(file.is_direct());
  const AlignedBytes bytes = NewAligned(kPage);
  EXPECT_GT(file.Read(bytes.get(), kPage, 0), 0);
}

TEST_F(IngestFixture, DirectFileReportsWhatReadingThroughTheCacheReports) {
  const FileDescriptor fd(open(root_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  DirectFile file(fd.get(), DirectIo::kOn);
  const AlignedBytes bytes = NewAligned(kPage);
  EXPECT_EQ(file.Read(bytes.get(), kPage, 0), -1);
  EXPECT_EQ(errno, EISDIR);
}

// Where the file system can (on others there is nothing to see): nothing of what was read past the
// cache is in it afterwards, and what is in it is not read past it.
TEST_F(IngestFixture, DirectFileLeavesThePageCacheAlone) {
  const std::string path = Write("f", RandomText(64 * kPage));
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  fsync(fd.get());
  DirectFile file(fd.get(), DirectIo::kAuto);
  const auto cached_pages = [&] {
    void* view = mmap(nullptr, 64 * kPage, PROT_READ, MAP_SHARED, fd.get(), 0);
    std::vector<unsigned char> pages(64);
    EXPECT_EQ(mincore(view, 64 * kPage, pages.data()), 0);
    munmap(view, 64 * kPage);
    return std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; });
  };
  posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  if (!file.is_direct() || cached_pages() != 0) GTEST_SKIP() << "no cache to be left alone";
  const AlignedBytes bytes = NewAligned(32 * kPage);
  EXPECT_EQ(file.Read(bytes.get(), 32 * kPage, 0), static_cast<int64_t>(32 * kPage));
  if (!file.is_direct()) GTEST_SKIP() << "reading is refused";
  EXPECT_EQ(cached_pages(), 0);
}

}  // namespace direct_file_test
}  // namespace pmdex
