// A made-up PMU, which drives whole commands without one.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/run_program.h"
#include "tools/counters/counter_source.h"
#include "tools/profile/profile_session.h"

namespace pmdex {

// What the made-up PMU adds to each event between two reads. Its top-down categories add up.
inline uint64_t MadeUpCount(std::string_view event) {
  if (event == "cycles") return 1'000'000;
  if (event == "instructions") return 1'500'000;
  if (event == "no_ops") return 900'000;
  if (event == "backend_stalls") return 2'000'000;
  if (event == "smt_contention") return 100'000;
  if (event == "retired_ops") return 2'700'000;
  if (event == "dispatched") return 3'000'000;
  if (event == "not_complete") return 500'000;
  return 3'000;
}

// Counts as a PMU would, without one.
class FakeCounterSource : public CounterSource {
 public:
  std::string refused_event;        // opening it fails
  std::string multiplexed_event;    // a group with it runs half of the time
  bool only_common_events = false;  // all but cycles, instructions and branches stay 0
  uint64_t extra_no_ops = 0;        // makes level 1 inconsistent
  std::string slow_event;           // a group with it counts all events twice
  std::atomic<int> opened = 0;

  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(std::span<const CounterEvent> events,
                                                              int /*thread*/) override {
    ++opened;
    auto group = std::make_unique<FakeCounters>();
    uint64_t times = 1;
    for (const CounterEvent& event : events) times = event.name == slow_event ? 2 : times;
    for (const CounterEvent& event : events) {
      if (event.name == refused_event) return ErrnoStatus(EINVAL, "counting an event");
      group->half_time = group->half_time || event.name == multiplexed_event;
      const uint64_t more = event.name == "no_ops" ? extra_no_ops : 0;
      group->steps.push_back(times * (MadeUpCount(event.name) + more));
      if (only_common_events && event.type == EventType::kRaw && event.name != "cycles" &&
          event.name != "instructions" && !event.name.starts_with("branch")) {
        group->steps.back() = 0;
      }
    }
    group->reading.counts.resize(events.size());
    return group;
  }

 private:
  struct FakeCounters : OpenCounters {
    absl::StatusOr<CounterReading> Read() override {
      reading.enabled_ns += 1000;
      reading.running_ns += half_time ? 500 : 1000;
      for (size_t i = 0; i < steps.size(); ++i) reading.counts[i] += steps[i];
      return reading;
    }
    CounterReading reading;
    std::vector<uint64_t> steps;
    bool half_time = false;
  };
};

// Where a test writes a report: below `out`, or below $PMDEX_TEST_REPORTS, from where
// report_layout_test.py opens it in a browser.
inline std::string ReportDirectory(const TemporaryDirectory& out, const std::string& name) {
  const char* const kept = std::getenv("PMDEX_TEST_REPORTS");
  return kept == nullptr ? out / name : std::string(kept) + "/" + name;
}

inline ProfileMachine SkylakeMachine(CounterSource& source) {
  ProfileMachine machine;
  machine.cpu.vendor = "GenuineIntel";
  machine.cpu.brand = "a made-up Skylake";
  machine.cpu.family = 6;
  machine.cpu.model = 0x55;
  machine.cpu.stepping = 4;
  machine.source = &source;
  return machine;
}

inline ProfileMachine Zen4Machine(CounterSource& source) {
  ProfileMachine machine;
  machine.cpu.vendor = "AuthenticAMD";
  machine.cpu.brand = "a made-up Zen 4";
  machine.cpu.family = 0x19;
  machine.cpu.model = 0x11;
  machine.source = &source;
  return machine;
}

}  // namespace pmdex
