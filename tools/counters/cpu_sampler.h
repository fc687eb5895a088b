// Samples where a thread is, and who called: the kernel notes its instruction and walks its frame
// pointers at a steady rate of CPU time (the software event cpu-clock of perf_event_open(2)). It
// needs no PMU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"
#include "tools/counters/frame_walk.h"
#include "tools/counters/perf_counters.h"

namespace pmdex {

struct CpuSample {
  uint32_t thread = 0;
  uint64_t address = 0;  // of the instruction, in user space
  // Where the function that ran will return to, then where its caller will, at most kMostCallers
  // (frame_walk.h). Code without frame pointers makes it too short, and may leave an address of no
  // code in it.
  std::vector<uint64_t> callers = {};
};

// Users without rights may lock some 500 KiB a CPU (kernel.perf_event_mlock_kb), which the rings of
// all threads share. Powers of two.
constexpr size_t kRingPages = 16;     // for each thread of another process
constexpr size_t kOwnRingPages = 64;  // for few threads that seldom drain

// Samples from its start to its end. For one thread, which need not be the one that is sampled.
class CpuSampler {
 public:
  // thread: 0 for the calling one. rate_hz: samples a second of CPU time; the kernel may take
  // fewer (kernel.perf_event_max_sample_rate). ring_pages: of the buffer of samples, a power of
  // two; kRingPages if the kernel refuses more.
  static absl::StatusOr<std::unique_ptr<CpuSampler>> Start(int thread, uint32_t rate_hz,
                                                           const OpenEvent& open = OpenPerfEvent,
                                                           size_t ring_pages = kRingPages);
  ~CpuSampler();
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;

  // Appends the samples since the last call. Must be called before some 7 samples for each page
  // have come together, or some 20 of usual depth, because the kernel drops what has no room.
  void Drain(std::vector<CpuSample>& samples);
  uint64_t lost() const { return lost_; }  // samples that the kernel dropped

 private:
  CpuSampler(FileDescriptor event, void* ring, size_t ring_pages);

  FileDescriptor event_;
  void* ring_;
  size_t ring_pages_;
  uint64_t lost_ = 0;
};

// Takes the records between the offsets `tail` and `head` of a ring of perf_event_open(2): appends
// samples (ip, pid and tid, chain of calls) and returns how many the kernel dropped. size: of the
// ring, a power of two. Stops at a record that is malformed.
uint64_t TakeSamples(const unsigned char* ring, size_t size, uint64_t tail, uint64_t head,
                     std::vector<CpuSample>& samples);

}  // namespace pmdex
