// What the kernel keeps of the calling thread, by getrusage(2) with RUSAGE_THREAD. It needs no
// right and no perf events, and has time and page faults in the kernel in it. Thread-safe: no
// state.
#pragma once

namespace pmdex {

struct ThreadUsage {
  double user_ns = 0;
  double system_ns = 0;
  double minor_faults = 0;
  double major_faults = 0;
  double voluntary_switches = 0;    // the thread waited
  double involuntary_switches = 0;  // the kernel gave the CPU to another thread

  double cpu_ns() const { return user_ns + system_ns; }
  double faults() const { return minor_faults + major_faults; }
  double switches() const { return voluntary_switches + involuntary_switches; }
  // The kernel divides CPU time into user and system time by its ticks, which are up to 10 ms
  // apart. Below 100 ms of CPU time the division says nothing, and this is false.
  bool DividesCpuTime() const { return cpu_ns() >= 100e6; }

  ThreadUsage& operator+=(const ThreadUsage& other);
};

ThreadUsage operator-(const ThreadUsage& after, const ThreadUsage& before);

// From the start of the calling thread until now.
ThreadUsage UsageOfThisThread();

}  // namespace pmdex
