#include "query/result/top_k.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace top_k_test {

TEST(TopK, EqualsSortingInAnyOrderOfArrival) {
  SeededRandom random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<ScoredDoc> all;
    for (size_t n = random.Below(40); n > 0; --n) {
      all.push_back({all.size(), static_cast<float>(random.Below(6))});
    }
    const size_t k = random.Below(12);
    TopK top(k);
    std::vector<ScoredDoc> arriving = all;
    if (random.OneIn(2)) std::reverse(arriving.begin(), arriving.end());
    for (const ScoredDoc& doc : arriving) top.Add(doc);
    std::sort(all.begin(), all.end(), IsBetter);
    all.resize(std::min(all.size(), k));
    const std::vector<ScoredDoc> kept = top.Take();
    ASSERT_EQ(kept.size(), all.size());
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].doc, all[i].doc);
  }
}

TEST(TopK, KeepsWhatTheLimitsAllow) {
  SeededRandom random(9);
  for (int round = 0; round < 300; ++round) {
    RankLimits limits;
    if (random.OneIn(2)) limits.min_score = static_cast<float>(random.Below(6));
    if (random.OneIn(2)) limits.after = {random.Below(40), static_cast<float>(random.Below(7))};
    const size_t k = 1 + random.Below(random.OneIn(4) ? 300 : 12);
    TopK top(k, limits);
    EXPECT_EQ(top.MinCompetitiveScore(0), limits.min_score);
    std::vector<ScoredDoc> allowed;
    for (uint64_t doc = 0; doc < 400; ++doc) {
      const ScoredDoc scored{doc, static_cast<float>(random.Below(6))};
      top.Add(scored);
      if (scored.score < limits.min_score) continue;
      if (!limits.after.has_value() || IsBetter(*limits.after, scored)) allowed.push_back(scored);
    }
    std::sort(allowed.begin(), allowed.end(), IsBetter);
    allowed.resize(std::min(allowed.size(), k));
    const std::vector<ScoredDoc> kept = top.Take();
    ASSERT_EQ(kept.size(), allowed.size());
    for (size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i].doc, allowed[i].doc);
  }
}

TEST(TopK, EqualsSortingWhereItSelectsNowAndThen) {
  SeededRandom random(4);
  for (const size_t k : {128, 129, 200, 1000}) {
    for (const size_t n : {k - 1, k, k + 1, k + k / 2, 7 * k}) {
      std::vector<ScoredDoc> all;
      TopK top(k);
      for (size_t i = 0; i < n; ++i) {
        all.push_back({random.Below(1 << 20), static_cast<float>(random.Below(300)) - 40});
        const float needed = top.MinCompetitiveScore(all.back().doc);
        top.Add(all.back());
        if (i % 97 == 0) top.Tighten();
        ASSERT_GE(top.MinCompetitiveScore(all.back().doc), needed) << "it never falls";
        ASSERT_EQ(top.full(), i + 1 >= k);
        ASSERT_EQ(top.room(), i + 1 >= k ? 0 : k - i - 1);
      }
      std::sort(all.begin(), all.end(), IsBetter);
      all.resize(std::min(all.size(), k));
      top.Tighten();
      if (n >= k) {
        EXPECT_EQ(top.threshold(), all.back().score);
      }
      const std::vector<ScoredDoc> kept = top.Take();
      ASSERT_EQ(kept.size(), all.size());
      for (size_t i = 0; i < kept.size(); ++i) {
        ASSERT_EQ(kept[i].doc, all[i].doc);
        ASSERT_EQ(kept[i].score, all[i].score);
      }
    }
  }
}

TEST(TopK, TellsTheScoreToBeat) {
  TopK top(2);
  top.Add({0, 5});
  EXPECT_LT(top.threshold(), -1e30f);
  top.Add({1, 3});
  EXPECT_EQ(top.threshold(), 3.0f);
  top.Add({2, 4});
  EXPECT_EQ(top.threshold(), 4.0f);
  EXPECT_GT(TopK(0).threshold(), 1e30f);
}

TEST(TopK, TakesNoMemoryForAHugeK) {
  TopK top(SIZE_MAX);
  top.Add({0, 1});
  EXPECT_EQ(top.Take().size(), 1u);
}

TEST(TopK, TellsWhatALaterOrAnEarlierDocumentNeeds) {
  TopK top(2);
  top.Add({10, 3});
  EXPECT_EQ(top.room(), 1u);
  EXPECT_LT(top.MinCompetitiveScore(0), -1e30f);
  top.Add({20, 5});
  EXPECT_EQ(top.MinCompetitiveScore(5), 3);   // wins the tie
  EXPECT_GT(top.MinCompetitiveScore(11), 3);  // does not
  EXPECT_LT(top.MinCompetitiveScore(11), 3.001f);
  top.RaiseMinCompetitiveScore(4);
  EXPECT_EQ(top.MinCompetitiveScore(5), 4);
}

TEST(TopK, SortsWhatThereIsTimeFor) {
  const auto fill = [](TopK& top) {
    for (uint64_t doc = 0; doc < 100'000; ++doc) top.Add({doc, static_cast<float>(doc % 777)});
  };
  TopK whole(1'000'000);
  fill(whole);
  const std::vector<ScoredDoc> expected = whole.Take();
  const auto now = std::chrono::steady_clock::now();
  const struct {
    Deadline deadline;
    size_t size;
  } cases[] = {{kNoDeadline, 100'000},
               {now + std::chrono::hours(1), 100'000},
               {now - std::chrono::hours(1), 1024},
               {DeadlineClock::TimePoint::min(), 1024}};
  for (const auto& c : cases) {
    TopK top(1'000'000);
    fill(top);
    bool cut = false;
    const std::vector<ScoredDoc> found = top.TakeInTime(c.deadline, cut);
    ASSERT_EQ(found.size(), c.size);
    EXPECT_EQ(cut, c.size < expected.size());
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].doc, expected[i].doc);
  }
}

TEST(TopK, GivesTheSameInNoOrder) {
  TopK top(3);
  for (uint64_t doc = 0; doc < 10; ++doc) top.Add({doc, static_cast<float>(doc)});
  std::vector<ScoredDoc> found = top.TakeUnsorted();
  std::sort(found.begin(), found.end(), IsBetter);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].doc, 7u);
}

}  // namespace top_k_test
}  // namespace pmdex
