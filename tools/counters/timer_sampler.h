// Samples where the calling thread is, without perf_event_open(2): a timer of the thread's CPU time
// sends it SIGPROF, and the handler notes the instruction and walks the frame pointers. For systems
// that refuse perf events, such as containers. The kernel checks such timers at its ticks, so that
// it takes as many samples a second as CONFIG_HZ, mostly 250 or 1,000, however many are asked for.
// Time in the kernel counts for the instruction that called it.
//
// The process must not use SIGPROF otherwise. Its handler stays installed.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <vector>

#include "pmem/status.h"
#include "tools/counters/cpu_sampler.h"

namespace pmdex {

struct NotedStacks;  // what the handler of a thread has noted

// Samples from its start to its end. For the thread that started it; one at a time in a thread.
class TimerSampler {
 public:
  // rate_hz: samples a second of CPU time that are asked for.
  static absl::StatusOr<std::unique_ptr<TimerSampler>> Start(uint32_t rate_hz);
  ~TimerSampler();
  TimerSampler(const TimerSampler&) = delete;
  TimerSampler& operator=(const TimerSampler&) = delete;

  // Appends the samples since the last call. Must be called before 1,000 samples have come
  // together, or some 4,000 of usual depth: later ones are dropped.
  void Drain(std::vector<CpuSample>& samples);
  uint64_t lost() const { return lost_; }  // samples that were dropped

 private:
  TimerSampler();

  std::unique_ptr<NotedStacks> noted_;
  timer_t timer_ = nullptr;
  bool has_timer_ = false;
  uint64_t lost_ = 0;
};

}  // namespace pmdex
