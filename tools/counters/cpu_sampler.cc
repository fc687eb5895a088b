#include "tools/counters/cpu_sampler.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pmdex {
namespace {

size_t RingBytes(size_t pages) {
  return pages * static_cast<size_t>(getpagesize());
}
size_t MappingBytes(size_t pages) {
  return RingBytes(pages + 1);
}

perf_event_attr SamplingAttributes(uint32_t rate_hz) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = 1'000'000'000 / std::max(rate_hz, 1u);
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
  attributes.sample_max_stack = kMostCallers + 1;  // with the function itself
  attributes.exclude_kernel = 1;
  attributes.exclude_callchain_kernel = 1;
  attributes.exclude_hv = 1;
  return attributes;
}

// Copies bytes out of the ring, across its end.
void CopyFromRing(const unsigned char* ring, size_t size, uint64_t offset, void* to, size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  for (size_t i = 0; i < bytes; ++i) out[i] = ring[(offset + i) & (size - 1)];
}

// The callers in the chain at `offset`: the number of words, marks of who ran (kernel or user), the
// function itself, its callers. room: the bytes of the record from the offset on.
std::vector<uint64_t> CallersAt(const unsigned char* ring, size_t size, uint64_t offset,
                                uint64_t room) {
  uint64_t words = 0;
  if (room < sizeof(words)) return {};
  CopyFromRing(ring, size, offset, &words, sizeof(words));
  words = std::min<uint64_t>(words, room / sizeof(words) - 1);
  std::vector<uint64_t> callers;
  bool is_itself = true;
  for (uint64_t i = 0; i < words && callers.size() < kMostCallers; ++i) {
    uint64_t address = 0;
    offset += sizeof(address);
    CopyFromRing(ring, size, offset, &address, sizeof(address));
    if (address >= static_cast<uint64_t>(PERF_CONTEXT_MAX)) continue;
    if (!std::exchange(is_itself, false)) callers.push_back(address);
  }
  return callers;
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
      constexpr size_t kBefore = sizeof(header) + sizeof(words);
      samples.push_back({static_cast<uint32_t>(words[1] >> 32), words[0],  // ip; pid, tid
                         CallersAt(ring, size, tail + kBefore, header.size - kBefore)});
    } else if (header.type == PERF_RECORD_LOST && has_words) {
      lost += words[1];  // id, lost
    }
    tail += header.size;
  }
  return lost;
}

CpuSampler::CpuSampler(FileDescriptor event, void* ring, size_t ring_pages)
    : event_(std::move(event)), ring_(ring), ring_pages_(ring_pages) {}

CpuSampler::~CpuSampler() {
  munmap(ring_, MappingBytes(ring_pages_));
}

absl::StatusOr<std::unique_ptr<CpuSampler>> CpuSampler::Start(int thread, uint32_t rate_hz,
                                                              const OpenEvent& open,
                                                              size_t ring_pages) {
  perf_event_attr attributes = SamplingAttributes(rate_hz);
  const auto open_event = [&] {
    return open(&attributes, thread, /*cpu=*/-1, /*group=*/-1, PERF_FLAG_FD_CLOEXEC);
  };
  FileDescriptor event(open_event());
  if (!event.valid() && errno == EOVERFLOW) {
    attributes.sample_max_stack = 0;  // kernel.perf_event_max_stack, which is lower here
    event = FileDescriptor(open_event());
  }
  if (!event.valid()) return ErrnoStatus(errno, "sampling by cpu-clock");
  const auto map = [&] {
    return mmap(nullptr, MappingBytes(ring_pages), PROT_READ | PROT_WRITE, MAP_SHARED, event.get(),
                0);
  };
  void* ring = map();
  if (ring == MAP_FAILED && ring_pages > kRingPages) {
    ring_pages = kRingPages;
    ring = map();
  }
  if (ring == MAP_FAILED) return ErrnoStatus(errno, "the buffer of samples");
  return std::unique_ptr<CpuSampler>(new CpuSampler(std::move(event), ring, ring_pages));
}

void CpuSampler::Drain(std::vector<CpuSample>& samples) {
  auto* page = static_cast<perf_event_mmap_page*>(ring_);
  std::atomic_ref<__u64> head_word(page->data_head);
  std::atomic_ref<__u64> tail_word(page->data_tail);
  const uint64_t head = head_word.load(std::memory_order_acquire);
  const uint64_t tail = tail_word.load(std::memory_order_relaxed);
  const auto* ring = static_cast<const unsigned char*>(ring_) + getpagesize();
  lost_ += TakeSamples(ring, RingBytes(ring_pages_), tail, head, samples);
  tail_word.store(head, std::memory_order_release);
}

}  // namespace pmdex
