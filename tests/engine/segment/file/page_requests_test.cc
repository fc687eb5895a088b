#include "engine/segment/file/page_requests.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/recording_file.h"

namespace pmdex {
namespace page_requests_test {

constexpr uint64_t kPages = 300;

class PageRequestsTest : public testing::Test {
 protected:
  PageRequestsTest() : file_(std::vector<std::byte>(kPages * kPageBytes - 5), log_) {}

  PrefetchLog log_;
  RecordingFile file_;
};

TEST_F(PageRequestsTest, AskForPagesThatFollowOneAnotherTogetherAndOnce) {
  PageRequests requests(file_);
  requests.Ask(10 * kPageBytes + 1, 150 * kPageBytes);
  requests.Ask(10 * kPageBytes, 1);
  requests.Ask(20 * kPageBytes, 140 * kPageBytes);
  requests.Ask(7, 0);
  EXPECT_EQ(log_, (PrefetchLog{{10 * kPageBytes, 151 * kPageBytes}}));
}

TEST_F(PageRequestsTest, AskOnlyForWhatIsNewBetweenOldPages) {
  PageRequests requests(file_);
  requests.Ask(64 * kPageBytes, 1);
  requests.Ask(66 * kPageBytes, 1);
  log_.clear();
  requests.Ask(63 * kPageBytes, 66 * kPageBytes);
  EXPECT_EQ(log_, (PrefetchLog{{63 * kPageBytes, kPageBytes},
                               {65 * kPageBytes, kPageBytes},
                               {67 * kPageBytes, 62 * kPageBytes}}));
}

TEST_F(PageRequestsTest, AskForExactlyThePagesOfRandomRanges) {
  SeededRandom random(1);
  for (uint64_t round = 0; round < 50; ++round) {
    PageRequests requests(file_);
    log_.clear();
    std::vector<int> asked(kPages), wanted(kPages);
    for (int range = 0; range < 20; ++range) {
      const uint64_t offset = random.Below(file_.bytes().size());
      const uint64_t size_bytes =
          1 + random.Below(std::min<uint64_t>(file_.bytes().size() - offset, 400'000));
      requests.Ask(offset, size_bytes);
      for (uint64_t page = offset / kPageBytes; page <= (offset + size_bytes - 1) / kPageBytes;
           ++page) {
        wanted[page] = 1;
      }
    }
    for (uint64_t first = 0; first < kPages; ++first) {
      bool all = true;
      for (uint64_t pages = 1; pages <= std::min<uint64_t>(64, kPages - first); ++pages) {
        all = all && wanted[first + pages - 1] != 0;
        const uint64_t size_bytes = (pages - 1) * kPageBytes + 1;
        ASSERT_EQ(requests.WereAsked(first * kPageBytes + round, size_bytes), all);
      }
    }
    for (const PrefetchRange& range : log_) {
      ASSERT_EQ(range.offset % kPageBytes, 0u);
      ASSERT_EQ(range.size_bytes % kPageBytes, 0u);
      for (uint64_t at = 0; at < range.size_bytes; at += kPageBytes) {
        ++asked[(range.offset + at) / kPageBytes];
      }
    }
    ASSERT_EQ(asked, wanted);
  }
}

}  // namespace page_requests_test
}  // namespace pmdex
