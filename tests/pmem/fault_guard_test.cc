#include "pmem/fault_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace fault_guard_test {

constexpr size_t kPage = 4096;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// A shared mapping of an unnamed file of pages filled with 'x'.
class SharedPages {
 public:
  explicit SharedPages(size_t pages, int protection = PROT_READ) : size_(pages * kPage) {
    std::string path = testing::TempDir() + "pmdex_fault_guard_XXXXXX";
    fd_ = mkstemp(path.data());
    unlink(path.c_str());
    const std::string content(size_, 'x');
    written_ = write(fd_, content.data(), size_) == static_cast<ssize_t>(size_);
    address_ = mmap(nullptr, size_, protection, MAP_SHARED, fd_, 0);
  }
  ~SharedPages() {
    munmap(address_, size_);
    close(fd_);
  }

  bool valid() const { return written_ && address_ != MAP_FAILED; }
  void Truncate(size_t pages) { ASSERT_EQ(ftruncate(fd_, static_cast<off_t>(pages * kPage)), 0); }
  std::span<std::byte> bytes() { return {static_cast<std::byte*>(address_), size_}; }
  char At(size_t offset) const { return static_cast<const volatile char*>(address_)[offset]; }

 private:
  size_t size_;
  int fd_ = -1;
  bool written_ = false;
  void* address_ = MAP_FAILED;
};

// Lines of /proc/self/maps that lie in the range.
size_t CountMappings(std::span<const std::byte> bytes) {
  FILE* maps = fopen("/proc/self/maps", "r");
  size_t count = 0;
  char line[4096];
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  while (fgets(line, sizeof line, maps) != nullptr) {
    const uintptr_t start = std::strtoull(line, nullptr, 16);
    count += start >= begin && start < begin + bytes.size() ? 1 : 0;
  }
  fclose(maps);
  return count;
}

TEST(FaultGuard, ReadsZerosBeyondATruncatedEndAndSaysWhere) {
  SharedPages pages(4);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
  EXPECT_EQ(pages.At(3 * kPage), 'x');
  EXPECT_FALSE(guard.first_fault().has_value());
  EXPECT_FALSE(guard.has_fault());
  pages.Truncate(1);
  EXPECT_EQ(pages.At(2 * kPage + 17), '\0');
  EXPECT_EQ(pages.At(kPage), '\0');
  EXPECT_EQ(pages.At(0), 'x');
  ASSERT_TRUE(guard.first_fault().has_value());
  EXPECT_TRUE(guard.has_fault());
  EXPECT_EQ(guard.first_fault()->offset, 2 * kPage + 17);  // the first one stays
  EXPECT_EQ(guard.first_fault()->kind, FaultKind::kNothingBehind);
}

TEST(FaultGuard, TakesStoresToPagesThatAreGone) {
  SharedPages pages(4, PROT_READ | PROT_WRITE);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadWrite);
  pages.Truncate(1);
  std::memset(pages.bytes().data(), 'y', pages.bytes().size());
  ASSERT_TRUE(guard.first_fault().has_value());
  EXPECT_TRUE(guard.has_fault());
  EXPECT_EQ(guard.first_fault()->offset, kPage);
  EXPECT_EQ(pages.At(0), 'y');
  EXPECT_EQ(pages.At(4 * kPage - 1), 'y');
}

TEST(FaultGuard, MakesFewMappingsOfALargeLoss) {
  SharedPages pages(4096);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
  pages.Truncate(0);
  for (size_t page = 0; page < 4096; page += 2) EXPECT_EQ(pages.At(page * kPage), '\0');
  EXPECT_LE(CountMappings(pages.bytes()), 20u);
}

TEST(FaultGuard, GuardsTheWholeLastPageOfAFile) {
  SharedPages pages(2);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes().first(kPage + 1), MapAccess::kReadOnly);
  pages.Truncate(0);
  EXPECT_EQ(pages.At(2 * kPage - 1), '\0');
  EXPECT_TRUE(guard.first_fault().has_value());
}

TEST(FaultGuard, KeepsErrno) {
  SharedPages pages(2);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
  pages.Truncate(0);
  errno = EDOM;
  const char read = pages.At(0);
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(read, '\0');
}

TEST(FaultGuard, ForgetsTheFaultOfARangeThatIsGone) {
  for (int i = 0; i < 200; ++i) {  // more than a block of records, one after the other
    SharedPages pages(1);
    ASSERT_TRUE(pages.valid());
    const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
    ASSERT_FALSE(guard.first_fault().has_value());
    pages.Truncate(0);
    ASSERT_EQ(pages.At(0), '\0');
    ASSERT_TRUE(guard.first_fault().has_value());
  }
}

TEST(FaultGuard, TellsManyRangesApart) {
  std::vector<std::unique_ptr<SharedPages>> pages;
  std::vector<std::unique_ptr<GuardedRange>> guards;
  for (size_t i = 0; i < 150; ++i) {
    pages.push_back(std::make_unique<SharedPages>(1));
    ASSERT_TRUE(pages[i]->valid());
    guards.push_back(std::make_unique<GuardedRange>(pages[i]->bytes(), MapAccess::kReadOnly));
  }
  for (size_t i = 0; i < 150; i += 3) pages[i]->Truncate(0);
  for (size_t i = 0; i < 150; ++i) EXPECT_EQ(pages[i]->At(5), i % 3 == 0 ? '\0' : 'x');
  for (size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(guards[i]->first_fault().has_value(), i % 3 == 0) << i;
  }
}

TEST(FaultGuard, ServesThreadsThatFaultWhileOthersRegister) {
  std::atomic<int> wrong = 0;
  const auto work = [&wrong] {
    for (int i = 0; i < 100; ++i) {
      SharedPages pages(12);
      const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
      pages.Truncate(1);
      for (size_t page = 11; page > 0; --page) wrong += pages.At(page * kPage) != '\0';
      wrong += pages.At(0) == 'y';
      wrong += !guard.first_fault().has_value() || guard.first_fault()->offset != 11 * kPage;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(FaultGuard, ServesThreadsThatFaultInOneRange) {
  SharedPages pages(64);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
  pages.Truncate(0);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (size_t page = 0; page < 64; ++page) wrong += pages.At(page * kPage) != '\0';
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(guard.first_fault().has_value());
}

// AddressSanitizer answers SIGBUS with a report and an exit status of its own.
bool DiedOfSigbus(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGBUS;
  return kSanitized && WEXITSTATUS(status) != 0;
}

void TouchWhatIsNotGuarded() {
  SharedPages guarded(1);
  SharedPages other(1);
  const GuardedRange guard(guarded.bytes(), MapAccess::kReadOnly);
  other.Truncate(0);
  (void)other.At(0);
  std::_Exit(0);
}

TEST(FaultGuardDeathTest, DiesOfAFaultThatIsNotItsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(TouchWhatIsNotGuarded(), DiedOfSigbus, "");
}

TEST(FaultGuardDeathTest, DiesOfAFaultInARangeThatIsNoLongerGuarded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto touch = [] {
    SharedPages pages(1);
    { const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly); }
    pages.Truncate(0);
    (void)pages.At(0);
    std::_Exit(0);
  };
  EXPECT_EXIT(touch(), DiedOfSigbus, "");
}

TEST(FaultGuardDeathTest, DiesOfASigbusThatSomebodySent) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto send = [] {
    SharedPages pages(1);
    const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
    kill(getpid(), SIGBUS);
    std::_Exit(0);
  };
  EXPECT_EXIT(send(), DiedOfSigbus, "");
}

TEST(FaultGuardDeathTest, GivesOtherFaultsToTheHandlerThatWasThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_details = [] {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      _exit(info->si_code == BUS_ADRERR ? 41 : 1);
    };
    sigaction(SIGBUS, &action, nullptr);
    TouchWhatIsNotGuarded();
  };
  EXPECT_EXIT(with_details(), testing::ExitedWithCode(41), "");
  const auto plain = [] {
    signal(SIGBUS, [](int) { _exit(42); });
    TouchWhatIsNotGuarded();
  };
  EXPECT_EXIT(plain(), testing::ExitedWithCode(42), "");
}

TEST(FaultGuardDeathTest, DiesThoughSigbusWasIgnored) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ignoring = [] {
    signal(SIGBUS, SIG_IGN);
    TouchWhatIsNotGuarded();
  };
  EXPECT_EXIT(ignoring(), DiedOfSigbus, "");
}

// Poisons a page with the test interface of the kernel, which requires CAP_SYS_ADMIN and
// CONFIG_MEMORY_FAILURE.
TEST(FaultGuard, ReadsZerosFromAPoisonedPage) {
  SharedPages pages(3);
  ASSERT_TRUE(pages.valid());
  const GuardedRange guard(pages.bytes(), MapAccess::kReadOnly);
  ASSERT_EQ(pages.At(kPage), 'x');
  if (madvise(pages.bytes().data() + kPage, kPage, MADV_HWPOISON) != 0) {
    GTEST_SKIP() << "MADV_HWPOISON: " << std::strerror(errno);
  }
  EXPECT_EQ(pages.At(kPage + 3), '\0');
  EXPECT_EQ(pages.At(2 * kPage), 'x');
  ASSERT_TRUE(guard.first_fault().has_value());
  EXPECT_TRUE(guard.has_fault());
  EXPECT_EQ(guard.first_fault()->kind, FaultKind::kPoison);
  EXPECT_EQ(guard.first_fault()->offset / kPage, 1u);
}

}  // namespace fault_guard_test
}  // namespace pmdex
