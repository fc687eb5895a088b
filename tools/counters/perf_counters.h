// Counts by perf_event_open(2). One group of events is opened for one thread; the kernel counts all
// of the group or nothing. Where the kernel allows it, a hardware counter is read by the
// instruction rdpmc, without a system call.
#pragma once

#include <linux/perf_event.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "pmem/file_descriptor.h"
#include "tools/counters/counter_source.h"

namespace pmdex {

// Opens one event with these attributes; the system call, or a test's stand-in. Returns the
// descriptor, or -1 with errno set.
using OpenEvent =
    std::function<int(perf_event_attr* attributes, int thread, int cpu, int group, unsigned flags)>;

int OpenPerfEvent(perf_event_attr* attributes, int thread, int cpu, int group, unsigned flags);

// The attributes of an event that is counted in user space only. The leader of a group reads the
// counts of the whole group.
perf_event_attr AttributesOf(const CounterEvent& event);

class PerfCounterSource : public CounterSource {
 public:
  explicit PerfCounterSource(OpenEvent open = OpenPerfEvent) : open_(std::move(open)) {}

  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(std::span<const CounterEvent> events,
                                                              int thread) override;

 private:
  OpenEvent open_;
};

// Reads the value of one counter from its mapped page, as perf_event_open(2) describes: again and
// again until the kernel changed nothing meanwhile. Nothing if the counter cannot be read so now.
// read_pmc(i): the value of the hardware counter i.
std::optional<uint64_t> ReadInUserSpace(const perf_event_mmap_page& page,
                                        const std::function<uint64_t(uint32_t)>& read_pmc);

}  // namespace pmdex
