#include "engine/segment/file/page_checksums.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/checksum.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace page_checksums_test {

// A file of three sections, the second of an unknown kind, and their page checksums. It has more
// than 5000 pages, so that there are two pages of checksums and more than one word of bits.
class PageChecksumsTest : public testing::Test {
 protected:
  static constexpr uint64_t kPostingsBytes = 3000 * kPageBytes + 1;
  static constexpr uint64_t kNormsBytes = 2000 * kPageBytes;

  PageChecksumsTest() {
    sections_ = {{SectionKind::kPostings, 0, 4096, kPostingsBytes, 0},
                 {static_cast<SectionKind>(99), 0, 0, 5000, 0},
                 {SectionKind::kNorms, 0, 0, kNormsBytes, 0},
                 {SectionKind::kPageChecksums, 0, 0, 0, 0}};
    uint64_t end = sections_[0].offset + kPostingsBytes;
    for (size_t i = 1; i < sections_.size(); ++i) {
      sections_[i].offset = AlignUp(end, kSectionAlignment);
      end = sections_[i].offset + sections_[i].size_bytes;
    }
    file_.resize(end);
    SeededRandom random(5);
    for (std::byte& byte : file_) byte = static_cast<std::byte>(random.Next());
    std::vector<uint32_t> checksums;
    for (size_t i = 0; i < 3; ++i) {
      AppendPageChecksums(std::span(file_).subspan(sections_[i].offset, sections_[i].size_bytes),
                          checksums);
    }
    SealPageChecksums(checksums);
    sections_[3].size_bytes = checksums.size() * sizeof(uint32_t);
    const auto bytes = std::as_bytes(std::span(checksums));
    file_.insert(file_.end(), bytes.begin(), bytes.end());
  }
  std::unique_ptr<PageChecksums> Open(bool verified = false) const {
    const auto stored = PageChecksums::Find(file_, sections_);
    EXPECT_TRUE(stored.has_value());
    return std::make_unique<PageChecksums>(file_, sections_, *stored, verified);
  }
  std::byte& At(size_t section, uint64_t offset) {
    return file_[sections_[section].offset + offset];
  }

  std::vector<SectionEntry> sections_;
  std::vector<std::byte> file_;
};

TEST_F(PageChecksumsTest, AreAsManyAsThePages) {
  const auto stored = PageChecksums::Find(file_, sections_).value();
  EXPECT_EQ(stored.pages.size(), 3001u + 2 + 2000);
  EXPECT_EQ(stored.upper.size(), 5u);
  EXPECT_EQ(sections_[3].size_bytes, PageChecksumsBytes(stored.pages.size()));
  EXPECT_EQ(stored.pages[0],
            static_cast<uint32_t>(Xxh3(std::span(file_).subspan(4096, kPageBytes))));
  EXPECT_TRUE(Open()->RootMatches());
}

TEST_F(PageChecksumsTest, AreNotFoundWhenTheirNumberIsWrong) {
  for (const int64_t change :
       {int64_t{-4}, int64_t{4}, -static_cast<int64_t>(sections_[3].size_bytes)}) {
    auto sections = sections_;
    sections[3].size_bytes += static_cast<uint64_t>(change);
    EXPECT_FALSE(PageChecksums::Find(file_, sections).has_value());
  }
  auto sections = sections_;
  sections[2].size_bytes -= kPageBytes;
  EXPECT_FALSE(PageChecksums::Find(file_, sections).has_value());
  sections_.pop_back();
  EXPECT_FALSE(PageChecksums::Find(file_, sections_).has_value());
}

TEST_F(PageChecksumsTest, FindDamageInItsPageAndNowhereElse) {
  SeededRandom random(6);
  for (int round = 0; round < 200; ++round) {
    const bool norms = random.OneIn(2);
    const SectionKind kind = norms ? SectionKind::kNorms : SectionKind::kPostings;
    const uint64_t size = norms ? kNormsBytes : kPostingsBytes;
    const uint64_t bad = random.Below(size);
    std::byte& byte = At(norms ? 2 : 0, bad);
    const auto bit = static_cast<std::byte>(1 << random.Below(8));
    byte ^= bit;
    const auto checksums = Open();
    for (int probe = 0; probe < 20; ++probe) {
      const uint64_t first = random.Below(size);
      const uint64_t bytes = random.Below(std::min<uint64_t>(size - first, 900'000) + 1);
      const bool touches = bytes > 0 && first / kPageBytes <= bad / kPageBytes &&
                           (first + bytes - 1) / kPageBytes >= bad / kPageBytes;
      ASSERT_EQ(checksums->Check(kind, first, bytes), !touches);
      if (touches) {
        ASSERT_EQ(checksums->FindDamage(kind, first, bytes), bad / kPageBytes * kPageBytes);
      }
    }
    ASSERT_TRUE(checksums->Check(norms ? SectionKind::kPostings : SectionKind::kNorms, 0,
                                 norms ? kPostingsBytes : kNormsBytes));
    byte ^= bit;
  }
}

TEST_F(PageChecksumsTest, VerifyAPageOnce) {
  const auto checksums = Open();
  EXPECT_TRUE(checksums->Check(SectionKind::kNorms, 5 * kPageBytes, 1));
  At(2, 5 * kPageBytes) ^= std::byte{1};
  EXPECT_TRUE(checksums->Check(SectionKind::kNorms, 5 * kPageBytes, 1));
  EXPECT_FALSE(Open()->Check(SectionKind::kNorms, 5 * kPageBytes, 1));
}

TEST_F(PageChecksumsTest, KnowWhichPagesWereVerified) {
  SeededRandom random(7);
  const auto checksums = Open();
  std::vector<bool> verified(kNormsBytes / kPageBytes);
  for (int i = 0; i < 300; ++i) {
    const uint64_t first = random.Below(kNormsBytes);
    const uint64_t bytes = 1 + random.Below(std::min<uint64_t>(kNormsBytes - first, 500'000));
    const auto begin = verified.begin() + static_cast<ptrdiff_t>(first / kPageBytes);
    const auto end =
        verified.begin() + static_cast<ptrdiff_t>((first + bytes - 1) / kPageBytes) + 1;
    ASSERT_EQ(checksums->WereVerified(SectionKind::kNorms, first, bytes),
              std::all_of(begin, end, [](bool is) { return is; }));
    if (random.OneIn(3)) {
      ASSERT_TRUE(checksums->Check(SectionKind::kNorms, first, bytes));
      std::fill(begin, end, true);
    }
  }
}

TEST_F(PageChecksumsTest, AreNotBelievedWithoutTheLevelsAboveThem) {
  At(3, 17 * 4) ^= std::byte{1};  // of page 17, on the first page of checksums
  const auto first = Open();
  EXPECT_TRUE(first->RootMatches());
  EXPECT_FALSE(first->Check(SectionKind::kPostings, 17 * kPageBytes, 1));
  EXPECT_FALSE(first->Check(SectionKind::kPostings, 0, 1));  // its neighbours are in doubt
  EXPECT_TRUE(first->Check(SectionKind::kPostings, 1024 * kPageBytes, 1));
  At(3, 17 * 4) ^= std::byte{1};
  for (uint64_t i = 0; i < 6; ++i) {  // five upper checksums and the root
    At(3, (3001 + 2 + 2000 + i) * 4) ^= std::byte{0x80};
    EXPECT_FALSE(Open()->RootMatches()) << i;
    At(3, (3001 + 2 + 2000 + i) * 4) ^= std::byte{0x80};
  }
  EXPECT_TRUE(Open()->RootMatches());
}

TEST_F(PageChecksumsTest, AreTrustedWhereTheReaderLooksForItself) {
  At(0, 0) ^= std::byte{1};
  EXPECT_TRUE(Open(true)->Check(SectionKind::kPostings, 0, kPostingsBytes));
  EXPECT_FALSE(Open(false)->Check(SectionKind::kPostings, 0, kPostingsBytes));
}

TEST_F(PageChecksumsTest, GiveThreadsTheSameAnswers) {
  const uint64_t bad = 1500;
  At(2, bad * kPageBytes + 7) ^= std::byte{4};
  const auto checksums = Open();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      SeededRandom random(seed);
      for (int i = 0; i < 5000; ++i) {
        const uint64_t page = random.Below(2000);
        if (checksums->Check(SectionKind::kNorms, page * kPageBytes, 1) == (page == bad)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace page_checksums_test
}  // namespace pmdex
