#include "engine/segment/postings/best_point_builder.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/documents/norms.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace best_point_builder_test {

struct Postings {
  std::vector<uint8_t> freqs;
  std::vector<uint8_t> codes;
};

Postings RandomPostings(SeededRandom& random, size_t count, uint64_t most_freq) {
  Postings postings;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t freq = 1 + random.Below(1 + random.Below(most_freq));
    postings.freqs.push_back(static_cast<uint8_t>(std::min<uint64_t>(255, freq)));
    postings.codes.push_back(static_cast<uint8_t>(20 + random.Below(80)));
  }
  return postings;
}

uint32_t Reach(const Postings& postings, uint32_t tf, uint32_t code) {
  uint32_t reach = 0;
  for (size_t i = 0; i < postings.freqs.size(); ++i) {
    reach += postings.freqs[i] >= tf && postings.codes[i] <= code ? 1 : 0;
  }
  return reach;
}

double Score(uint32_t tf, uint32_t code, double average_length) {
  const double length = DecodeLength(static_cast<uint8_t>(code));
  return tf / (tf + 1.2 * (0.25 + 0.75 * length / average_length));
}

// The score of the best of all points that k postings reach, with frequencies from 1 to most_tf.
double BestScore(const Postings& postings, uint32_t k, uint32_t most_tf, double average_length) {
  double best = 0;
  for (uint32_t tf = 1; tf <= most_tf; ++tf) {
    for (uint32_t code = 0; code < 256; ++code) {
      if (Reach(postings, tf, code) < k) continue;
      best = std::max(best, Score(tf, code, average_length));
      break;
    }
  }
  return best;
}

TEST(BestPointBuilder, FindsTheBestPointsOfSmallFrequencies) {
  SeededRandom random(61);
  BestPointBuilder builder;
  for (int round = 0; round < (kIsSanitized ? 4 : 30); ++round) {
    const double average_length = 5 + 20.0 * round;
    const Postings postings = RandomPostings(random, 260 + random.Below(1500), 15);
    builder.StartField(average_length);
    const size_t half = postings.freqs.size() / 2;
    builder.Add(postings.freqs.data(), postings.codes.data(), static_cast<uint32_t>(half));
    builder.Add(postings.freqs.data() + half, postings.codes.data() + half,
                static_cast<uint32_t>(postings.freqs.size() - half));
    const BestPoints points = builder.Take();
    for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
      const uint32_t k = kBestPointCounts[kind];
      if (postings.freqs.size() < k) {
        EXPECT_EQ(points.tf[kind], 0);
        EXPECT_EQ(points.length_code[kind], 0);
        continue;
      }
      EXPECT_GE(Reach(postings, points.tf[kind], points.length_code[kind]), k);
      EXPECT_NEAR(Score(points.tf[kind], points.length_code[kind], average_length),
                  BestScore(postings, k, 15, average_length), 1e-6)
          << k;
    }
  }
}

TEST(BestPointBuilder, FindsPointsThatAreTrueForAllFrequencies) {
  SeededRandom random(62);
  BestPointBuilder builder;
  for (int round = 0; round < (kIsSanitized ? 2 : ByEffort(10, 30)); ++round) {
    const Postings postings = RandomPostings(random, 300 + random.Below(3000), 1 + 10 * round);
    builder.StartField(100);
    builder.Add(postings.freqs.data(), postings.codes.data(),
                static_cast<uint32_t>(postings.freqs.size()));
    const BestPoints points = builder.Take();
    for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
      const uint32_t k = kBestPointCounts[kind];
      if (postings.freqs.size() < k) continue;
      ASSERT_GT(points.tf[kind], 0);
      EXPECT_GE(Reach(postings, points.tf[kind], points.length_code[kind]), k);
      // Rounding a frequency down loses less than half of it.
      EXPECT_GE(Score(points.tf[kind], points.length_code[kind], 100),
                BestScore(postings, k, 255, 100) / 2);
    }
  }
}

TEST(BestPointBuilder, TakesUnitFrequenciesAsFrequenciesOfOne) {
  SeededRandom random(63);
  Postings postings = RandomPostings(random, 2000, 1);
  BestPointBuilder builder;
  builder.Add(postings.freqs.data(), postings.codes.data(), 2000);
  const BestPoints general = builder.Take();
  builder.AddUnit(postings.codes.data(), 2000);
  const BestPoints unit = builder.Take();
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    EXPECT_EQ(unit.tf[kind], 1);
    EXPECT_EQ(unit.tf[kind], general.tf[kind]);
    EXPECT_EQ(unit.length_code[kind], general.length_code[kind]);
  }
}

TEST(BestPointBuilder, BeginsEachListAnew) {
  SeededRandom random(64);
  const Postings postings = RandomPostings(random, 2000, 200);
  BestPointBuilder builder;
  builder.Add(postings.freqs.data(), postings.codes.data(), 2000);
  EXPECT_GT(builder.Take().tf[3], 0);
  const BestPoints none = builder.Take();
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) EXPECT_EQ(none.tf[kind], 0);
}

}  // namespace best_point_builder_test
}  // namespace pmdex
