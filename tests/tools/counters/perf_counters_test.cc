// Software events are counted for real; hardware events where this machine has them.
#include "tools/counters/perf_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pmem/pmu_probe.h"
#include "tools/counters/event_table.h"

namespace pmdex {
namespace perf_counters_test {

using testing::HasSubstr;

// Fresh memory, one fault for each page.
void TouchPages(size_t pages) {
  const auto page = static_cast<size_t>(getpagesize());
  void* memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

TEST(PerfCounters, CountPageFaultsAndTime) {
  PerfCounterSource source;
  std::vector<CounterEvent> events;
  for (const std::string_view name : SoftwareTable().groups[0].events) {
    events.push_back(*SoftwareTable().FindEvent(name));
  }
  auto counters = source.Open(events);
  if (!counters.ok()) GTEST_SKIP() << counters.status();
  const auto before = (*counters)->Read();
  TouchPages(100);
  const auto after = (*counters)->Read();
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(after->counts.size(), SoftwareTable().events.size());
  EXPECT_GE(after->counts[0] - before->counts[0], 100u) << "page faults";
  EXPECT_GT(after->counts[1], before->counts[1]) << "task clock";
  EXPECT_GT(after->enabled_ns, before->enabled_ns);
  EXPECT_EQ(after->enabled_ns - before->enabled_ns, after->running_ns - before->running_ns);
}

TEST(PerfCounters, CountHardwareEventsWhereThereIsAPmu) {
  if (ProbePmu().state != PmuState::kWorks) GTEST_SKIP() << "no PMU that counts";
  PerfCounterSource source;
  const auto events = std::span(ArchitecturalTable().events).first(2);
  auto counters = source.Open(events);
  ASSERT_TRUE(counters.ok()) << counters.status();
  const auto before = (*counters)->Read();
  TouchPages(100);
  const auto after = (*counters)->Read();
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_GT(after->counts[0], before->counts[0]) << "cycles";
  EXPECT_GT(after->counts[1], before->counts[1]) << "instructions";
}

TEST(PerfCounters, OpenRawEventsAsOneGroupInUserSpaceOnly) {
  std::vector<perf_event_attr> opened;
  std::vector<int> leaders;
  PerfCounterSource source(
      [&](perf_event_attr* attributes, int thread, int cpu, int group, unsigned) {
        EXPECT_EQ(thread, 0);
        EXPECT_EQ(cpu, -1);
        opened.push_back(*attributes);
        leaders.push_back(group);
        return dup(STDERR_FILENO);
      });
  const auto& events = SapphireRapidsTable().events;
  ASSERT_TRUE(source.Open(std::span(events).first(3)).ok());
  ASSERT_EQ(opened.size(), 3u);
  EXPECT_EQ(leaders[0], -1);
  EXPECT_NE(leaders[1], -1);
  EXPECT_EQ(leaders[1], leaders[2]);
  for (size_t i = 0; i < opened.size(); ++i) {
    EXPECT_EQ(opened[i].type, uint32_t{PERF_TYPE_RAW});
    EXPECT_EQ(opened[i].config, events[i].config);
    EXPECT_EQ(opened[i].exclude_kernel, 1u);
    EXPECT_EQ(opened[i].exclude_hv, 1u);
    EXPECT_EQ(opened[i].inherit, 0u);
  }
}

TEST(PerfCounters, NameTheEventThatIsRefusedAndWhy) {
  for (const int error : {EACCES, EPERM, ENOENT, EOPNOTSUPP, EINVAL, ENODEV, ENOSYS, EMFILE, EBUSY,
                          ENOSPC, E2BIG, ESRCH, ENFILE}) {
    int calls = 0;
    PerfCounterSource source([&](perf_event_attr*, int, int, int, unsigned) {
      if (++calls == 1) return dup(STDERR_FILENO);
      errno = error;
      return -1;
    });
    const auto counters = source.Open(std::span(SapphireRapidsTable().events).first(2));
    EXPECT_FALSE(counters.ok());
    EXPECT_THAT(std::string(Message(counters.status())), HasSubstr("INST_RETIRED.ANY_P"));
    EXPECT_THAT(std::string(Message(counters.status())), HasSubstr(std::strerror(error)));
  }
}

TEST(PerfCounters, RefuseAGroupWithoutEvents) {
  PerfCounterSource source;
  EXPECT_TRUE(absl::IsInvalidArgument(source.Open({}).status()));
}

perf_event_mmap_page Page(uint32_t index, int64_t offset) {
  perf_event_mmap_page page;
  std::memset(&page, 0, sizeof(page));
  page.cap_user_rdpmc = 1;
  page.pmc_width = 48;
  page.index = index;
  page.offset = offset;
  return page;
}

TEST(ReadInUserSpace, ReadsACounterWithItsOffsetAndSign) {
  const perf_event_mmap_page page = Page(3, 1000);
  const auto read = [](uint32_t counter) -> uint64_t { return counter == 2 ? 77 : 0; };
  EXPECT_EQ(ReadInUserSpace(page, read), 1077u);
  // The kernel starts counters at negative values of 48 bits.
  const auto negative = [](uint32_t) -> uint64_t { return (uint64_t{1} << 48) - 5; };
  EXPECT_EQ(ReadInUserSpace(page, negative), 995u);
}

TEST(ReadInUserSpace, DoesNotReadACounterThatIsNotRunningOrNotAllowed) {
  const auto read = [](uint32_t) -> uint64_t { return 1; };
  EXPECT_EQ(ReadInUserSpace(Page(0, 5), read), std::nullopt);
  perf_event_mmap_page page = Page(1, 5);
  page.cap_user_rdpmc = 0;
  EXPECT_EQ(ReadInUserSpace(page, read), std::nullopt);
}

TEST(ReadInUserSpace, ReadsAgainIfTheKernelChangedThePage) {
  perf_event_mmap_page page = Page(1, 10);
  int reads = 0;
  const auto read = [&](uint32_t) -> uint64_t {
    if (++reads == 1) {
      page.lock += 2;
      page.offset = 20;
    }
    return 1;
  };
  EXPECT_EQ(ReadInUserSpace(page, read), 21u);
  EXPECT_EQ(reads, 2);
}

}  // namespace perf_counters_test
}  // namespace pmdex
