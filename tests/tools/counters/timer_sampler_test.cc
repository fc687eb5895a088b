#include "tools/counters/timer_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/tools/counters/spend_time.h"

namespace pmdex {
namespace timer_sampler_test {

// Spends time until there are so many samples.
std::vector<CpuSample> Sample(TimerSampler& sampler, size_t wanted) {
  std::vector<CpuSample> samples;
  for (int i = 0; i < 10'000 && samples.size() < wanted; ++i) {
    SpendTime(1'000'000);
    sampler.Drain(samples);
  }
  return samples;
}

TEST(TimerSampler, FindsWhereTheThreadSpendsItsTime) {
  auto sampler = TimerSampler::Start(1000);
  ASSERT_TRUE(sampler.ok()) << sampler.status();
  const std::vector<CpuSample> samples = Sample(**sampler, 20);
  ASSERT_GE(samples.size(), 20u);
  for (const CpuSample& sample : samples) {
    EXPECT_EQ(sample.thread, static_cast<uint32_t>(gettid()));
  }
  EXPECT_GE(CountInSpendTime(samples), samples.size() / 2);
  EXPECT_EQ((*sampler)->lost(), 0u);
}

TEST(TimerSampler, SamplesEachThreadByItself) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      auto sampler = TimerSampler::Start(1000);
      ASSERT_TRUE(sampler.ok()) << sampler.status();
      for (const CpuSample& sample : Sample(**sampler, 5)) {
        EXPECT_EQ(sample.thread, static_cast<uint32_t>(gettid()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TimerSampler, CanStartAgainAndIgnoresSignalsBetween) {
  for (int i = 0; i < 2; ++i) {
    {
      auto sampler = TimerSampler::Start(1000);
      ASSERT_TRUE(sampler.ok()) << sampler.status();
      EXPECT_FALSE(Sample(**sampler, 1).empty());
    }
    raise(SIGPROF);
  }
}

TEST(TimerSampler, CountsWhatItHasNoRoomFor) {
  auto sampler = TimerSampler::Start(1);
  ASSERT_TRUE(sampler.ok()) << sampler.status();
  for (int i = 0; i < 40'000; ++i) raise(SIGPROF);
  std::vector<CpuSample> samples;
  (*sampler)->Drain(samples);
  EXPECT_GE(samples.size() + (*sampler)->lost(), 40'000u);
  EXPECT_GE((*sampler)->lost(), 40'000u - 65'536 / 2);
  EXPECT_GE(samples.size(), 1'000u);
  const uint64_t lost = (*sampler)->lost();
  samples.clear();
  raise(SIGPROF);
  (*sampler)->Drain(samples);
  EXPECT_EQ(samples.size(), 1u) << "there is room again";
  EXPECT_EQ((*sampler)->lost(), lost);
}

}  // namespace timer_sampler_test
}  // namespace pmdex
