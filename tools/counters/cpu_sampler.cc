#include "tools/counters/cpu_sampler.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace pmdex {
namespace {

// A power of two. Users without rights may lock some 500 KiB a CPU (kernel.perf_event_mlock_kb),
// which the rings of all threads share.
constexpr size_t kRingPages = 16;

size_t RingBytes() {
  return kRingPages * static_cast<size_t>(getpagesize());
}
size_t MappingBytes() {
  return (kRingPages + 1) * static_cast<size_t>(getpagesize());
}

perf_event_attr SamplingAttributes(uint32_t rate_hz) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = 1'000'000'000 / std::max(rate_hz, 1u);
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return attributes;
}

// Copies bytes out of the ring, across its end.
void CopyFromRing(const unsigned char* ring, size_t size, uint64_t offset, void* to, size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  for (size_t i = 0; i < bytes; ++i) out[i] = ring[(offset + i) & (size - 1)];
}

}  // namespace

uint64_t TakeSamples(const unsigned char* ring, size_t size, uint64_t tail, uint64_t head,
                     std::vector<CpuSample>& samples) {
  uint64_t lost = 0;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header;
    CopyFromRing(ring, size, tail, &header, sizeof(header));
    if (header.size < sizeof(header) || header.size > head - tail) break;
    std::array<uint64_t, 2> words = {};
    const bool has_words = header.size >= sizeof(header) + sizeof(words);
    if (has_words) CopyFromRing(ring, size, tail + sizeof(header), words.data(), sizeof(words));
    if (header.type == PERF_RECORD_SAMPLE && has_words) {
      samples.push_back({static_cast<uint32_t>(words[1] >> 32), words[0]});  // ip; pid, tid
    } else if (header.type == PERF_RECORD_LOST && has_words) {
      lost += words[1];  // id, lost
    }
    tail += header.size;
  }
  return lost;
}

CpuSampler::CpuSampler(FileDescriptor event, void* ring) : event_(std::move(event)), ring_(ring) {}

CpuSampler::~CpuSampler() {
  munmap(ring_, MappingBytes());
}

absl::StatusOr<std::unique_ptr<CpuSampler>> CpuSampler::Start(int thread, uint32_t rate_hz,
                                                              const OpenEvent& open) {
  perf_event_attr attributes = SamplingAttributes(rate_hz);
  FileDescriptor event(open(&attributes, thread, /*cpu=*/-1, /*group=*/-1, PERF_FLAG_FD_CLOEXEC));
  if (!event.valid()) return ErrnoStatus(errno, "sampling by cpu-clock");
  void* ring = mmap(nullptr, MappingBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
  if (ring == MAP_FAILED) return ErrnoStatus(errno, "the buffer of samples");
  return std::unique_ptr<CpuSampler>(new CpuSampler(std::move(event), ring));
}

void CpuSampler::Drain(std::vector<CpuSample>& samples) {
  auto* page = static_cast<perf_event_mmap_page*>(ring_);
  std::atomic_ref<__u64> head_word(page->data_head);
  std::atomic_ref<__u64> tail_word(page->data_tail);
  const uint64_t head = head_word.load(std::memory_order_acquire);
  const uint64_t tail = tail_word.load(std::memory_order_relaxed);
  const auto* ring = static_cast<const unsigned char*>(ring_) + getpagesize();
  lost_ += TakeSamples(ring, RingBytes(), tail, head, samples);
  tail_word.store(head, std::memory_order_release);
}

}  // namespace pmdex
