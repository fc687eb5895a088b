#include "query/kernel/kernels.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace {

// Every level that this CPU has, the reference among them.
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
        // Scores that occur, so that ties are met, and some that nothing reaches.
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
          // Scores of enormous documents are mostly rounding.
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

TEST_P(Kernels, AddScoresToTheDocumentsThatHaveThem) {
  for (const size_t one_in : {1, 2, 7, 60, 5000}) {
    WindowBits bits;
    for (uint32_t doc = 0; doc < kWindowDocs; ++doc) {
      if (random_.OneIn(one_in)) bits.Set(doc);
    }
    std::vector<float> scores(bits.Count() + 16);
    for (float& score : scores) score = static_cast<float>(random_.Below(1000)) / 7;
    WindowSums sums, expected;
    for (float& sum : sums.of) sum = static_cast<float>(random_.Below(1000)) / 3;
    expected = sums;
    const float* next = scores.data();
    bits.ForEach([&](uint32_t doc) {
      expected.of[doc] += *next++;
      return true;
    });
    kernels_->add_scores(bits.words.data(), scores.data(), sums);
    ASSERT_EQ(sums.of, expected.of) << one_in;
  }
}

TEST_P(Kernels, KeepSumsOfDocumentsThatReachThem) {
  WindowSums sums;
  for (float& sum : sums.of) sum = static_cast<float>(random_.Below(100));
  for (const float least : {-1.0f, 0.0f, 37.0f, 99.0f, 100.0f}) {
    WindowBits bits;
    for (uint32_t doc = 0; doc < kWindowDocs; doc += 1 + random_.Below(9)) bits.Set(doc);
    WindowBits expected;
    bits.ForEach([&](uint32_t doc) {
      if (sums.of[doc] >= least) expected.Set(doc);
      return true;
    });
    kernels_->keep_sums(sums, least, bits);
    EXPECT_EQ(bits.words, expected.words) << least;
  }
}

TEST_P(Kernels, KeepStartsThatAListGoesOnWith) {
  for (int i = 0; i < 3000; ++i) {
    const size_t one_in = 1 + random_.Below(40);
    const uint32_t offset = static_cast<uint32_t>(random_.Below(5));
    const uint32_t base = random_.OneIn(2) ? 0 : 65535 - 200;  // where sums pass the last position
    std::vector<uint16_t> starts, positions;
    std::vector<uint16_t> expected;
    for (uint32_t p = base; p < base + 200; ++p) {
      if (random_.OneIn(one_in)) starts.push_back(static_cast<uint16_t>(p));
      if (random_.OneIn(one_in)) positions.push_back(static_cast<uint16_t>(p));
    }
    for (const uint16_t start : starts) {
      const uint32_t wanted = start + offset;
      if (std::find(positions.begin(), positions.end(), wanted) != positions.end()) {
        expected.push_back(start);
      }
    }
    const auto count = static_cast<uint32_t>(starts.size());
    starts.resize(kernels_->keep_starts(starts.data(), count, positions.data(),
                                        static_cast<uint32_t>(positions.size()), offset));
    ASSERT_EQ(starts, expected);
  }
}

TEST_P(Kernels, CountPairsOfEveryPairOfRuns) {
  std::vector<std::vector<uint16_t>> of_a(300), of_b(300);
  std::vector<PositionRun> a, b;
  for (size_t i = 0; i < of_a.size(); ++i) {
    const uint32_t base = random_.OneIn(2) ? 0 : 65535 - 120;
    const size_t one_in_a = 1 + random_.Below(30);
    const size_t one_in_b = 1 + random_.Below(30);
    for (uint32_t p = base; p < base + 120; ++p) {
      if (random_.OneIn(one_in_a)) of_a[i].push_back(static_cast<uint16_t>(p));
      if (random_.OneIn(one_in_b)) of_b[i].push_back(static_cast<uint16_t>(p));
    }
    a.emplace_back(of_a[i]);
    b.emplace_back(of_b[i]);
  }
  for (const int32_t distance : {1, -1, 0, 3, -7}) {
    std::vector<uint8_t> counts(a.size());
    kernels_->count_pairs(a.data(), b.data(), static_cast<uint32_t>(a.size()), distance,
                          counts.data());
    for (size_t i = 0; i < a.size(); ++i) {
      uint32_t expected = 0;
      for (const int32_t p : of_a[i]) {
        expected += static_cast<uint32_t>(std::count(of_b[i].begin(), of_b[i].end(), p + distance));
      }
      ASSERT_EQ(counts[i], of_a[i].empty() || of_b[i].empty() ? kManyPairs : expected) << i;
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

}  // namespace
}  // namespace pmdex
