#include "query/kernel/kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/kernel/range_scan.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace kernels_test {

// Every level that this CPU supports, with the reference.
class Kernels : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
    kernels_ = &QueryKernelsOf(GetParam());
  }

  static FieldStatistics Statistics() { return {1000, 120000, 50000}; }
  static TermScorer Scorer(SimilarityKind kind, float weight) {
    static const LengthTable bm25 = MakeLengthTable(SimilarityKind::kBm25, Statistics());
    static const LengthTable tfidf = MakeLengthTable(SimilarityKind::kTfidf, Statistics());
    return {kind, weight, kind == SimilarityKind::kBm25 ? &bm25 : &tfidf};
  }
  LeastFreqs RandomTable() {
    LeastFreqs table;
    for (uint8_t& least : table.least) least = static_cast<uint8_t>(random_.Below(256));
    return table;
  }
  std::vector<uint8_t> RandomBytes(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_.Below(256));
    return bytes;
  }
  std::vector<BoundPoints> RandomBlocks(size_t count) {
    std::vector<BoundPoints> blocks(count);
    for (BoundPoints& block : blocks) {
      for (int p = 0; p < 4; ++p) {
        block.tf[p] = static_cast<uint8_t>(random_.Below(256));
        block.length_code[p] = static_cast<uint8_t>(random_.Below(256));
      }
    }
    return blocks;
  }

  const QueryKernels* kernels_ = nullptr;
  const QueryKernels& reference_ = ScalarQueryKernels();
  SeededRandom random_{7};
};

TEST_P(Kernels, SayWhichLevelTheyAre) {
  EXPECT_EQ(kernels_->level, GetParam());
  EXPECT_EQ(kernels_->filter_postings == reference_.filter_postings,
            GetParam() == SimdLevel::kScalar);
}

TEST_P(Kernels, LeastFreqsLetPassWhatReachesTheScoreAndHardlyMore) {
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    for (const float weight : {0.01f, 1.0f, 7.3f}) {
      const TermScorer scorer = Scorer(kind, weight);
      for (int i = 0; i < 60; ++i) {
        // Scores that occur, so that there are ties, and some that no posting reaches.
        const float needed = scorer.Score(static_cast<float>(1 + random_.Below(300)),
                                          static_cast<uint8_t>(random_.Below(256)));
        LeastFreqs table;
        kernels_->least_freqs(scorer, needed, table);
        for (int code = 0; code < 256; ++code) {
          const auto c = static_cast<uint8_t>(code);
          const uint32_t least = table.least[c];
          if (least > 1) {
            ASSERT_LT(scorer.Score(static_cast<float>(least - 1), c), needed);
          }
          // The scores of very long documents are mostly rounding errors.
          if (least < 255 && code < 160) {
            ASSERT_GE(scorer.Score(static_cast<float>(least), c), needed * (1 - 1e-5f));
          }
        }
      }
    }
  }
}

TEST_P(Kernels, LeastFreqsOfNothingLetEverythingPass) {
  LeastFreqs table;
  kernels_->least_freqs(Scorer(SimilarityKind::kBm25, 1), 0, table);
  EXPECT_EQ(*std::max_element(table.least.begin(), table.least.end()), 0);
  kernels_->least_freqs(Scorer(SimilarityKind::kBm25, 1), 1, table);  // the score's limit
  EXPECT_EQ(*std::min_element(table.least.begin(), table.least.end()), kFreqEscape);
}

TEST_P(Kernels, LeastFreqsBesideOthersLetPassWhatReachesTheScoreAndHardlyMore) {
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    for (int i = 0; i < 120; ++i) {
      const TermScorer scorer = Scorer(kind, i % 3 == 0 ? 0.01f : 3.7f);
      const TermScorer other = Scorer(kind, 2.9f);
      const auto freq = [&] { return static_cast<float>(1 + random_.Below(300)); };
      LengthBounds others;
      const float most = freq();
      for (int c = 0; c < 256; ++c) others.of[c] = other.Score(most, static_cast<uint8_t>(c));
      const auto code = static_cast<uint8_t>(random_.Below(140));
      const float needed = scorer.Score(freq(), code) + others.of[code];
      LeastFreqs table;
      kernels_->least_freqs_beside(scorer, needed, others, table);
      for (int c = 0; c < 256; ++c) {
        const auto sum = [&](uint32_t f) {
          return double{scorer.Score(static_cast<float>(f), static_cast<uint8_t>(c))} +
                 others.of[c];
        };
        const uint32_t least = table.least[c];
        if (least > 0) {
          ASSERT_LT(sum(least - 1), needed) << c;
        }
        if (least > 0 && least < 254 && c < 140) {
          ASSERT_GE(sum(least + 1), needed * (1 - 1e-4)) << c;
        }
      }
    }
  }
}

TEST_P(Kernels, LengthBoundsAreTheGreatestScoresOfALength) {
  constexpr float kEscape = 300;
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const TermScorer scorer = Scorer(kind, 2.5f);
    for (size_t n = 0; n < 20; ++n) {
      std::vector<BoundPoints> blocks = RandomBlocks(n);
      if (n > 3) blocks[3] = {{255, 7, 1, 0}, {255, 9, 0, 0}};
      LengthBounds bounds;
      kernels_->length_bounds(blocks.data(), static_cast<uint32_t>(n), scorer, kEscape, bounds);
      for (int c = 0; c < 256; ++c) {
        float expected = 0;
        for (const BoundPoints& block : blocks) {
          for (int p = 0; p < 4; ++p) {
            if (block.length_code[p] > c) continue;
            const float freq = block.tf[p] == kFreqEscape ? kEscape : block.tf[p];
            expected = std::max(expected, scorer.Score(freq, static_cast<uint8_t>(c)));
          }
        }
        ASSERT_EQ(bounds.of[c], expected) << c << " of " << n;
      }
    }
  }
}

TEST_P(Kernels, FilterPostingsAsTheReferenceForEveryTail) {
  const std::vector<uint8_t> freqs = RandomBytes(400 + 64);
  const std::vector<uint8_t> codes = RandomBytes(400 + 64);
  for (uint32_t n = 1; n <= 400; ++n) {
    const LeastFreqs table = RandomTable();
    std::vector<uint64_t> mask((n + 63) / 64, ~uint64_t{0});
    std::vector<uint64_t> expected = mask;
    kernels_->filter_postings(freqs.data(), codes.data(), n, table, mask.data());
    reference_.filter_postings(freqs.data(), codes.data(), n, table, expected.data());
    ASSERT_EQ(mask, expected) << n;
    ASSERT_EQ(mask[0] & 1, freqs[0] >= table.least[codes[0]] ? 1u : 0u);
  }
}

TEST_P(Kernels, FilterBlocksAsTheReferenceForEveryTail) {
  const std::vector<BoundPoints> blocks = RandomBlocks(200);
  for (uint32_t n = 1; n <= 200; ++n) {
    LeastFreqs table = RandomTable();
    for (uint8_t& least : table.least) least = std::max<uint8_t>(least, 180);  // some fail
    std::vector<uint64_t> mask((n + 63) / 64, ~uint64_t{0});
    std::vector<uint64_t> expected = mask;
    kernels_->filter_blocks(blocks.data(), n, table, mask.data());
    reference_.filter_blocks(blocks.data(), n, table, expected.data());
    ASSERT_EQ(mask, expected) << n;
  }
}

TEST_P(Kernels, BlockBoundsAreTheGreatestScoresBitForBit) {
  const std::vector<BoundPoints> blocks = RandomBlocks(100);
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const TermScorer scorer = Scorer(kind, 3.7f);
    for (uint32_t n = 1; n <= 100; ++n) {
      std::vector<float> bounds(n + 1, -5);
      kernels_->block_bounds(blocks.data(), n, scorer, 999, bounds.data());
      for (uint32_t i = 0; i < n; ++i) {
        float expected = 0;
        for (int p = 0; p < 4; ++p) {
          const uint8_t tf = blocks[i].tf[p];
          const float freq = tf == 255 ? 999.0f : static_cast<float>(tf);
          expected = std::max(expected, scorer.Score(freq, blocks[i].length_code[p]));
        }
        ASSERT_EQ(bounds[i], expected);
      }
      ASSERT_EQ(bounds[n], -5);
    }
  }
}

TEST_P(Kernels, ScorePostingsBitForBit) {
  const std::vector<uint8_t> freqs = RandomBytes(300 + 64);
  const std::vector<uint8_t> codes = RandomBytes(300 + 64);
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const TermScorer scorer = Scorer(kind, 2.3f);
    for (uint32_t n = 1; n <= 300; n += 7) {
      std::vector<float> scores(n + 16);
      kernels_->score_postings(freqs.data(), codes.data(), n, scorer, 777, scores.data());
      for (uint32_t i = 0; i < n; ++i) {
        const float freq = freqs[i] == kFreqEscape ? 777.0f : static_cast<float>(freqs[i]);
        ASSERT_EQ(scores[i], scorer.Score(freq, codes[i]));
      }
    }
  }
}

// A list whose runs follow each other. Some postings are escapes, with or without page marks.
class RunList {
 public:
  RunList(uint32_t df, SeededRandom& random) : freqs_((df + 15) & ~15u), codes_(freqs_.size()) {
    uint32_t entries = 0;
    for (uint32_t i = 0; i < df; ++i) {
      if (i % kPositionGroup == 0 && i != 0) groups_.push_back(entries);
      codes_[i] = static_cast<uint8_t>(random.Below(256));
      const uint32_t freq = static_cast<uint32_t>(random.OneIn(9) ? 254 : 1 + random.Below(20));
      freqs_[i] = static_cast<uint8_t>(freq);
      entries += freq;
      if (!random.OneIn(40)) continue;
      const uint32_t marks = static_cast<uint32_t>(random.Below(2));
      freqs_[i] = kFreqEscape;
      overflow_.push_back({i, freq, freq + marks});
      entries += marks;
    }
    positions_.resize(entries);
    view_.df = df;
    view_.freqs = freqs_.data();
    view_.codes = codes_.data();
    view_.groups = groups_.data();
    view_.positions = positions_;
    view_.overflow = overflow_;
  }
  PostingListView& view() { return view_; }

 private:
  PostingListView view_;
  std::vector<uint8_t> freqs_, codes_;
  std::vector<uint32_t> groups_;
  std::vector<uint16_t> positions_;
  std::vector<OverflowEntry> overflow_;
};

// The arrays of runs, with the extra room into which kernels may write.
struct RunBuffer {
  explicit RunBuffer(size_t count) : begins(count + 64), counts(count + 64), codes(count + 64) {}
  RunArrays lanes(const uint16_t* base) {
    return {base, begins.data(), counts.data(), codes.data()};
  }
  std::vector<uint32_t> begins;
  std::vector<uint16_t> counts;
  std::vector<uint8_t> codes;
};

void ExpectRunsOf(const PostingListView& list, const std::vector<uint32_t>& postings,
                  const RunArrays& runs) {
  for (uint32_t i = 0; i < postings.size(); ++i) {
    const bool exists = postings[i] < list.df;
    const PositionRun expected = exists ? list.EntriesInPlace(postings[i]) : PositionRun();
    ASSERT_EQ(runs.counts[i], expected.size()) << i;
    if (!expected.empty()) {
      ASSERT_EQ(runs[i].data(), expected.data()) << i;
    }
    if (exists) {
      ASSERT_EQ(runs.codes[i], list.codes[postings[i]]) << i;
    }
  }
}

TEST_P(Kernels, FindRunsWhereTheListSaysThatTheyLie) {
  for (const uint32_t df : {5u, 16u, 17u, 300u}) {
    RunList list(df, random_);
    std::vector<uint32_t> postings;
    for (uint32_t i = 0; i < df; ++i) {
      if (random_.OneIn(2)) postings.push_back(i);
    }
    postings.push_back(df);
    postings.push_back(0xffffffff);
    for (const size_t missing : {0, 30}) {  // entries: a damaged list
      list.view().positions = list.view().positions.first(list.view().positions.size() - missing);
      RunBuffer runs(postings.size());
      kernels_->find_runs(list.view(), postings.data(), static_cast<uint32_t>(postings.size()),
                          runs.lanes(list.view().positions.data()));
      ExpectRunsOf(list.view(), postings, runs.lanes(list.view().positions.data()));
    }
  }
}

TEST_P(Kernels, SelectRunsOfThePostingsOfAMaskForEveryTail) {
  RunList list(290, random_);
  for (const uint32_t first : {0u, 16u, 208u}) {
    for (uint32_t n = 1; n <= 290 - first; ++n) {
      std::vector<uint64_t> mask(kWindowWords + 1);
      std::vector<uint32_t> postings;
      for (uint32_t i = 0; i < (n + 63) / 64 * 64; ++i) {
        if (random_.OneIn(3)) continue;
        mask[i / 64] |= uint64_t{1} << (i % 64);
        if (i < n) postings.push_back(first + i);
      }
      RunBuffer runs(postings.size());
      const RunArrays lanes = runs.lanes(list.view().positions.data());
      const uint32_t count = kernels_->select_runs(list.view(), first, mask.data(), n, lanes);
      ASSERT_EQ(count, postings.size());
      ExpectRunsOf(list.view(), postings, lanes);
    }
  }
}

TEST_P(Kernels, MatchRunsOfEveryLength) {
  constexpr uint32_t kRuns = 600;
  for (const int32_t distance : {1, -1, 0, 3, -7, 65535, -100000}) {
    RunBuffer a(kRuns), b(kRuns), counted(kRuns);
    std::vector<uint16_t> of_a, of_b;
    for (uint32_t i = 0; i < kRuns; ++i) {
      const uint32_t span = random_.OneIn(5) ? 900 : 120;
      const uint32_t base = random_.OneIn(2) ? 0 : 65535 - span;  // where sums pass the last one
      const size_t one_in_a = 1 + random_.Below(30);
      const size_t one_in_b = 1 + random_.Below(30);
      a.begins[i] = static_cast<uint32_t>(of_a.size());
      b.begins[i] = static_cast<uint32_t>(of_b.size());
      for (uint32_t p = base; p < base + span; ++p) {
        if (random_.OneIn(one_in_a)) of_a.push_back(static_cast<uint16_t>(p));
        if (random_.OneIn(one_in_b)) of_b.push_back(static_cast<uint16_t>(p));
      }
      a.counts[i] = static_cast<uint16_t>(of_a.size() - a.begins[i]);
      b.counts[i] = static_cast<uint16_t>(of_b.size() - b.begins[i]);
    }
    of_a.shrink_to_fit();
    of_b.shrink_to_fit();
    std::vector<uint16_t> expected;
    std::vector<uint16_t> expected_counts;
    const RunArrays left = a.lanes(of_a.data());
    const RunArrays right = b.lanes(of_b.data());
    for (uint32_t i = 0; i < kRuns; ++i) {
      const size_t before = expected.size();
      for (const uint16_t p : left[i]) {
        const PositionRun run = right[i];
        if (std::find(run.begin(), run.end(), p + distance) != run.end()) expected.push_back(p);
      }
      expected_counts.push_back(static_cast<uint16_t>(expected.size() - before));
    }
    kernels_->match_runs(left, right, kRuns, distance, nullptr, counted.lanes(nullptr));
    std::vector<uint16_t> matches(of_a.size() + 64);
    kernels_->match_runs(left, right, kRuns, distance, matches.data(), left);
    for (uint32_t i = 0, begin = 0; i < kRuns; begin += expected_counts[i++]) {
      ASSERT_EQ(counted.counts[i], expected_counts[i]) << i;
      ASSERT_EQ(a.counts[i], expected_counts[i]) << i;
      ASSERT_EQ(a.begins[i], begin) << i;
    }
    matches.resize(expected.size());
    ASSERT_EQ(matches, expected);
  }
}

TEST_P(Kernels, MatchRunsThatEndWithMemory) {
  for (size_t size = 1; size <= 40; ++size) {
    std::vector<uint16_t> positions(size);
    for (size_t i = 0; i < size; ++i) positions[i] = static_cast<uint16_t>(3 * i);
    positions.shrink_to_fit();
    uint32_t begins[1 + 64] = {};
    uint16_t counts[1 + 64] = {static_cast<uint16_t>(size)};
    const RunArrays run{positions.data(), begins, counts};
    std::vector<uint16_t> matches(size + 64);
    kernels_->match_runs(run, run, 1, 3, matches.data(), run);
    EXPECT_EQ(counts[0], size - 1);
  }
}

TEST_P(Kernels, ExtractNumbersTheDocumentsOfAWindow) {
  for (const size_t one_in : {1, 2, 7, 100, 5000}) {
    for (const uint32_t first : {0u, 1u, 15u, 63u}) {
      WindowBits documents, chosen;
      std::vector<uint64_t> expected(kWindowWords + 1);
      uint32_t count = 0;
      for (uint32_t doc = 0; doc < kWindowDocs; ++doc) {
        const bool is_chosen = random_.OneIn(2);
        if (is_chosen) chosen.Set(doc);
        if (!random_.OneIn(one_in)) continue;
        documents.Set(doc);
        const uint32_t bit = first + count++;
        expected[bit / 64] |= uint64_t{is_chosen} << (bit % 64);
      }
      std::vector<uint64_t> mask(kWindowWords + 1, ~uint64_t{0});
      EXPECT_EQ(kernels_->extract(documents.words.data(), chosen, first, mask.data()), count);
      EXPECT_EQ(mask, expected) << one_in << " from " << first;
    }
  }
}

TEST_P(Kernels, DepositNumbersTheDocumentsOfAWindow) {
  for (const size_t one_in : {1, 2, 7, 100, 5000}) {
    WindowBits documents;
    std::vector<uint32_t> members;
    for (uint32_t doc = 0; doc < kWindowDocs; ++doc) {
      if (!random_.OneIn(one_in)) continue;
      documents.Set(doc);
      members.push_back(doc);
    }
    std::vector<uint64_t> mask(kWindowWords + 1);
    WindowBits expected;
    expected.Set(17);
    for (uint32_t i = 0; i < members.size(); ++i) {
      if (random_.OneIn(2)) continue;
      mask[i / 64] |= uint64_t{1} << (i % 64);
      expected.Set(members[i]);
    }
    WindowBits out;
    out.Set(17);
    kernels_->deposit(documents.words.data(), mask.data(), out);
    EXPECT_EQ(out.words, expected.words) << one_in;
  }
}

TEST_P(Kernels, ScanRangeFindsTheValuesInTheRange) {
  constexpr size_t kMost = 300;
  for (const uint32_t value_bytes : {1u, 2u, 4u, 8u}) {
    const uint64_t greatest = ~uint64_t{0} >> (64 - 8 * value_bytes);
    for (uint32_t n = 0; n < kMost; n += 1 + n / 16) {
      std::vector<std::byte> lane(n * value_bytes + 64);
      for (std::byte& byte : lane) byte = static_cast<std::byte>(random_.Next());
      uint64_t low = random_.Next() & greatest;
      uint64_t high = random_.OneIn(4) ? greatest : random_.Next() & greatest;
      if (random_.OneIn(5)) low = 0;
      if (low > high) std::swap(low, high);
      const RangeScan scan{lane.data(), value_bytes, n, low, high};
      std::vector<uint64_t> expected((n + 63) / 64, ~uint64_t{0});
      std::vector<uint64_t> mask(expected);
      ScalarQueryKernels().scan_range(scan, expected.data());
      kernels_->scan_range(scan, mask.data());
      EXPECT_EQ(mask, expected) << value_bytes << " " << n;
      for (uint32_t i = 0; i < n; ++i) {
        uint64_t value = 0;
        std::memcpy(&value, lane.data() + i * value_bytes, value_bytes);
        ASSERT_EQ((expected[i / 64] >> (i % 64) & 1) != 0, low <= value && value <= high);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Kernels,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

TEST(BestQueryKernels, AreOfTheHighestUsableLevel) {
  const SimdLevel best = BestQueryKernels().level;
  EXPECT_TRUE(IsUsable(best));
  for (const SimdLevel level : {SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    EXPECT_TRUE(level <= best || !IsUsable(level));
  }
}

}  // namespace kernels_test
}  // namespace pmdex
