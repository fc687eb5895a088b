#include "tools/counters/cpu_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "tests/tools/counters/spend_time.h"

namespace pmdex {
namespace cpu_sampler_test {

constexpr size_t kRing = 256;

// Appends a record to a ring at `head`, across its end.
void Append(std::vector<unsigned char>& ring, uint64_t& head, uint32_t type, uint64_t first,
            uint64_t second) {
  perf_event_header header = {};
  header.type = type;
  header.size = sizeof(header) + 16;
  unsigned char bytes[sizeof(header) + 16];
  std::memcpy(bytes, &header, sizeof(header));
  std::memcpy(bytes + sizeof(header), &first, 8);
  std::memcpy(bytes + sizeof(header) + 8, &second, 8);
  for (const unsigned char byte : bytes) ring[head++ % kRing] = byte;
}

TEST(TakeSamples, ReadsRecordsAcrossTheEndOfTheRing) {
  std::vector<unsigned char> ring(kRing);
  const uint64_t tail = 10 * kRing - 20;
  uint64_t head = tail;
  Append(ring, head, PERF_RECORD_SAMPLE, 0x1234, uint64_t{7} << 32 | 3);
  Append(ring, head, PERF_RECORD_LOST, 1, 5);
  Append(ring, head, PERF_RECORD_SAMPLE, 0x5678, uint64_t{8} << 32 | 3);
  std::vector<CpuSample> samples;
  EXPECT_EQ(TakeSamples(ring.data(), kRing, tail, head, samples), 5u);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].address, 0x1234u);
  EXPECT_EQ(samples[0].thread, 7u);
  EXPECT_EQ(samples[1].address, 0x5678u);
}

TEST(TakeSamples, StopsAtAMalformedRecord) {
  std::vector<unsigned char> ring(kRing);  // a record of size 0
  std::vector<CpuSample> samples;
  EXPECT_EQ(TakeSamples(ring.data(), kRing, 0, 64, samples), 0u);
  EXPECT_TRUE(samples.empty());
}

TEST(CpuSampler, FindsWhereTheThreadSpendsItsTime) {
  auto sampler = CpuSampler::Start(0, 4000);
  if (!sampler.ok()) GTEST_SKIP() << sampler.status();
  std::vector<CpuSample> samples;
  for (int i = 0; i < 1000 && samples.size() < 20; ++i) {
    SpendTime(1'000'000);
    (*sampler)->Drain(samples);
  }
  ASSERT_GE(samples.size(), 20u);
  for (const CpuSample& sample : samples) {
    EXPECT_EQ(sample.thread, static_cast<uint32_t>(gettid()));
  }
  EXPECT_GE(CountInSpendTime(samples), samples.size() / 2);
}

TEST(CpuSampler, SaysWhyTheKernelRefuses) {
  const auto sampler = CpuSampler::Start(0, 4000, [](perf_event_attr*, int, int, int, unsigned) {
    errno = EACCES;
    return -1;
  });
  ASSERT_FALSE(sampler.ok());
  EXPECT_THAT(std::string(Message(sampler.status())), testing::HasSubstr("Permission denied"));
}

}  // namespace cpu_sampler_test
}  // namespace pmdex
