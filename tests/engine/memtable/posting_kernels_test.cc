#include "engine/memtable/posting_kernels.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/cpu_features.h"

namespace pmdex {
namespace posting_kernels_test {

std::vector<uint8_t> Encode(std::span<const uint32_t> values) {
  std::vector<uint8_t> bytes;
  for (uint32_t value : values) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
    bytes.push_back(static_cast<uint8_t>(value));
  }
  return bytes;
}

// Of as many bits as `bits` says at most.
std::vector<uint32_t> RandomValues(std::mt19937& random, size_t count, uint32_t bits) {
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) {
    value = static_cast<uint32_t>((uint64_t{random()} & ((uint64_t{1} << bits) - 1)) >>
                                  random() % (bits + 1));
  }
  return values;
}

class PostingKernel : public testing::TestWithParam<SimdLevel> {
 protected:
  // Nothing behind the bytes and the values may be touched: they have a block of their own each.
  std::vector<uint32_t> Decode(std::span<const uint8_t> bytes, size_t most, size_t& used) {
    const auto own_bytes = std::make_unique<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), own_bytes.get());
    const auto own_values = std::make_unique<uint32_t[]>(most);
    const VByteRun run = PostingKernelsOf(GetParam())
                             .decode({own_bytes.get(), bytes.size()}, {own_values.get(), most});
    used = run.bytes;
    return {own_values.get(), own_values.get() + run.values};
  }
};

TEST_P(PostingKernel, DecodesWhatWasEncoded) {
  std::mt19937 random(3);
  for (const uint32_t bits : {1, 7, 8, 14, 15, 21, 28, 29, 32}) {
    for (size_t count = 0; count < 300; count += 1 + count / 16) {
      const std::vector<uint32_t> values = RandomValues(random, count, bits);
      const std::vector<uint8_t> bytes = Encode(values);
      size_t used = 0;
      ASSERT_EQ(Decode(bytes, count, used), values) << bits << " bits, " << count << " values";
      EXPECT_EQ(used, bytes.size());
    }
  }
}

TEST_P(PostingKernel, LeavesAValueThatGoesOnBehindTheEnd) {
  std::mt19937 random(4);
  for (int turn = 0; turn < 300; ++turn) {
    const std::vector<uint32_t> values = RandomValues(random, 1 + random() % 90, 1 + random() % 32);
    const std::vector<uint8_t> bytes = Encode(values);
    const size_t cut = random() % (bytes.size() + 1);
    size_t whole = 0;
    size_t whole_bytes = 0;
    for (size_t i = 0; i < cut; ++i) {
      if (bytes[i] >= 0x80) continue;
      ++whole;
      whole_bytes = i + 1;
    }
    size_t used = 0;
    const std::vector<uint32_t> decoded =
        Decode(std::span(bytes).first(cut), values.size() + random() % 20, used);
    ASSERT_EQ(decoded, std::vector<uint32_t>(values.begin(),
                                             values.begin() + static_cast<ptrdiff_t>(whole)));
    EXPECT_EQ(used, whole_bytes);
  }
}

TEST_P(PostingKernel, DecodesNoMoreThanAsked) {
  std::mt19937 random(5);
  for (int turn = 0; turn < 300; ++turn) {
    const std::vector<uint32_t> values = RandomValues(random, 90, 1 + random() % 32);
    const std::vector<uint8_t> bytes = Encode(values);
    const size_t most = random() % 90;
    size_t used = 0;
    const std::vector<uint32_t> first(values.begin(),
                                      values.begin() + static_cast<ptrdiff_t>(most));
    ASSERT_EQ(Decode(bytes, most, used), first);
    EXPECT_EQ(used, Encode(first).size());
  }
}

struct Postings {
  std::vector<DocId> docids;
  std::vector<uint32_t> freqs;
  std::vector<uint32_t> positions;
};

// Postings as an append would make values of them; gaps and positions of as many bits at most.
Postings RandomPostings(std::mt19937& random, size_t count, uint32_t bits,
                        std::vector<uint32_t>& values) {
  Postings postings;
  uint32_t doc = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t gap = i == 0 ? random() % 3 : 1 + RandomValues(random, 1, bits)[0] % (1u << 22);
    doc += gap;
    values.push_back(gap << 1 | 1);
    postings.docids.push_back(doc);
    uint32_t position = 0;
    const uint32_t freq = random() % 40 == 0 ? 1 + random() % 60 : 1 + random() % 3;
    for (uint32_t n = 0; n < freq; ++n) {
      const uint32_t step = RandomValues(random, 1, bits)[0] % (1u << 31) / freq;
      values.push_back(step << 1);
      postings.positions.push_back(position += step);
    }
    postings.freqs.push_back(freq);
  }
  return postings;
}

// Bytes with a page behind them that nobody may touch.
class GuardedBytes {
 public:
  GuardedBytes()
      : pages_(static_cast<uint8_t*>(mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_EQ(mprotect(pages_ + kPageBytes, kPageBytes, PROT_NONE), 0);
  }
  ~GuardedBytes() { munmap(pages_, 2 * kPageBytes); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  // Valid until the next call. Requires at most a page.
  std::span<const uint8_t> Copy(std::span<const uint8_t> bytes) {
    uint8_t* const begin = pages_ + kPageBytes - bytes.size();
    std::copy(bytes.begin(), bytes.end(), begin);
    return {begin, bytes.size()};
  }

 private:
  static constexpr size_t kPageBytes = 4096;
  uint8_t* const pages_;
};

// Splits the bytes block after block, and each block piece after piece.
template <typename Position, typename Split>
Postings SplitInPieces(std::span<const uint8_t> bytes, uint64_t values, size_t count,
                       std::mt19937& random, const Split& split, bool& has_wide) {
  GuardedBytes guarded;
  Postings all;
  PostingSplit at;
  uint64_t taken = 0;
  size_t next = 0;
  while (all.docids.size() < count) {
    const auto block =
        static_cast<uint32_t>(std::min<size_t>(1 + random() % 130, count - all.docids.size()));
    std::vector<DocId> docids(block);
    std::vector<uint32_t> ends(block);
    std::vector<Position> positions;
    at.postings = at.positions = at.position = 0;
    at.at_next = false;
    while (!at.at_next && next < bytes.size()) {
      const size_t piece = std::min<size_t>(5 + random() % 300, bytes.size() - next);
      const uint64_t most = random() % 4 == 0 ? 1 + random() % 40 : values - taken;
      positions.resize(at.positions + piece + kSplitSlack);  // the least that a split may need
      const VByteRun run = split(guarded.Copy(bytes.subspan(next, piece)), most, block, at,
                                 {docids.data(), ends.data(), positions.data()});
      EXPECT_LE(run.values, most);
      next += run.bytes;
      taken += run.values;
    }
    EXPECT_EQ(at.postings, block);
    EXPECT_EQ(at.doc, docids.back());
    EXPECT_EQ(at.positions, ends.back());
    all.docids.insert(all.docids.end(), docids.begin(), docids.end());
    for (uint32_t i = 0; i < block; ++i) all.freqs.push_back(ends[i] - (i == 0 ? 0 : ends[i - 1]));
    all.positions.insert(all.positions.end(), positions.begin(), positions.begin() + at.positions);
  }
  EXPECT_EQ(taken, values);
  EXPECT_EQ(next, bytes.size());
  has_wide = at.has_wide;
  return all;
}

TEST_P(PostingKernel, SplitsValuesIntoPostingsWhateverTheyComeIn) {
  std::mt19937 random(6);
  const PostingKernels& kernels = PostingKernelsOf(GetParam());
  int wide_turns = 0;
  for (int turn = 0; turn < 600; ++turn) {
    const size_t count = 1 + random() % 150;
    const uint32_t bits = turn % 3 == 0 ? 32 : 1 + random() % 20;
    std::vector<uint32_t> values;
    const Postings expected = RandomPostings(random, count, bits, values);
    const bool is_wide =
        *std::max_element(expected.positions.begin(), expected.positions.end()) >= kPositionPage;
    wide_turns += is_wide ? 1 : 0;
    bool has_wide = false;
    const std::vector<uint8_t> bytes = Encode(values);
    const Postings wide =
        SplitInPieces<uint32_t>(bytes, values.size(), count, random, kernels.split_wide, has_wide);
    EXPECT_EQ(has_wide, is_wide);
    const Postings narrow =
        SplitInPieces<uint16_t>(bytes, values.size(), count, random, kernels.split, has_wide);
    EXPECT_EQ(has_wide, is_wide);
    for (const Postings* const all : {&wide, &narrow}) {
      ASSERT_EQ(all->docids, expected.docids) << "turn " << turn;
      ASSERT_EQ(all->freqs, expected.freqs) << "turn " << turn;
      if (all == &narrow && is_wide) continue;
      ASSERT_EQ(all->positions, expected.positions) << "turn " << turn;
    }
  }
  EXPECT_GT(wide_turns, 100);
  EXPECT_LT(wide_turns, 500);
}

INSTANTIATE_TEST_SUITE_P(All, PostingKernel, testing::ValuesIn(UsableSimdLevels()),
                         [](const auto& param) { return std::string(ToString(param.param)); });

}  // namespace posting_kernels_test
}  // namespace pmdex
