#include "tools/counters/cpu_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
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

// Appends a sample with a chain of calls whose length is said to be `words`.
void AppendChain(std::vector<unsigned char>& ring, uint64_t& head, uint64_t words,
                 const std::vector<uint64_t>& chain) {
  std::vector<uint64_t> body = {0x1234, uint64_t{7} << 32 | 3, words};
  body.insert(body.end(), chain.begin(), chain.end());
  perf_event_header header = {};
  header.type = PERF_RECORD_SAMPLE;
  header.size = static_cast<uint16_t>(sizeof(header) + body.size() * 8);
  std::vector<unsigned char> bytes(header.size);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), body.data(), body.size() * 8);
  for (const unsigned char byte : bytes) ring[head++ % kRing] = byte;
}

TEST(TakeSamples, ReadsTheCallersBehindTheFunctionItself) {
  const auto mark = static_cast<uint64_t>(PERF_CONTEXT_USER);
  std::vector<unsigned char> ring(kRing);
  const uint64_t tail = 3 * kRing - 60;
  uint64_t head = tail;
  AppendChain(ring, head, 4, {mark, 0x1234, 0x2000, 0x3000});
  AppendChain(ring, head, 1, {mark});
  AppendChain(ring, head, 0, {});
  AppendChain(ring, head, ~uint64_t{0}, {0x1234, 0x2000});  // longer than the record
  std::vector<CpuSample> samples;
  EXPECT_EQ(TakeSamples(ring.data(), kRing, tail, head, samples), 0u);
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_THAT(samples[0].callers, testing::ElementsAre(0x2000, 0x3000));
  EXPECT_THAT(samples[1].callers, testing::IsEmpty());
  EXPECT_THAT(samples[2].callers, testing::IsEmpty());
  EXPECT_THAT(samples[3].callers, testing::ElementsAre(0x2000));
  for (const CpuSample& sample : samples) EXPECT_EQ(sample.address, 0x1234u);
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

// No call is the last thing of its function, where it would become a jump.
[[gnu::noinline]] uint64_t CallSpendTime(uint64_t limit, uint64_t& returns_to) {
  returns_to = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  return SpendTime(limit) | 1;
}
[[gnu::noinline]] uint64_t CallItsCaller(uint64_t limit, uint64_t& returns_to) {
  return CallSpendTime(limit, returns_to) + 1;
}

TEST(CpuSampler, FindsTheCallers) {
  auto sampler = CpuSampler::Start(0, 4000, OpenPerfEvent, kOwnRingPages);
  if (!sampler.ok()) GTEST_SKIP() << sampler.status();
  std::vector<CpuSample> samples;
  uint64_t returns_to = 0;  // an address in CallItsCaller
  for (int i = 0; i < 1000 && CountInSpendTime(samples) < 20; ++i) {
    EXPECT_GT(CallItsCaller(1'000'000, returns_to), 0u);
    (*sampler)->Drain(samples);
  }
  size_t called = 0;
  for (const CpuSample& sample : samples) {
    // SpendTime may have no frame, and then its direct caller is missing.
    for (size_t i = 0; i < std::min<size_t>(sample.callers.size(), 2); ++i) {
      called += sample.callers[i] == returns_to ? 1 : 0;
    }
  }
  EXPECT_GE(called, CountInSpendTime(samples) * 3 / 4);
  EXPECT_GE(called, 10u);
}

TEST(CpuSampler, TakesFewerCallersWhereTheKernelHasALimit) {
  int calls = 0;
  const auto sampler =
      CpuSampler::Start(0, 4000, [&](perf_event_attr* attributes, int, int, int, unsigned) {
        EXPECT_EQ(attributes->sample_max_stack, calls == 0 ? kMostCallers + 1 : 0);
        errno = ++calls == 1 ? EOVERFLOW : EPERM;
        return -1;
      });
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(std::string(Message(sampler.status())), testing::HasSubstr("not permitted"));
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
