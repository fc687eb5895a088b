#include "tools/counters/perf_counters.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

constexpr size_t kMostGroupEvents = 16;

uint64_t ReadPmc(uint32_t counter) {
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
  return uint64_t{high} << 32 | low;
}

// The first page of an event's mapping; unmapped at the end.
class EventPage {
 public:
  explicit EventPage(int fd)
      : page_(mmap(nullptr, static_cast<size_t>(getpagesize()), PROT_READ, MAP_SHARED, fd, 0)) {}
  ~EventPage() {
    if (page_ != MAP_FAILED) munmap(page_, static_cast<size_t>(getpagesize()));
  }
  EventPage(EventPage&& other) noexcept : page_(std::exchange(other.page_, MAP_FAILED)) {}
  EventPage& operator=(EventPage&&) = delete;

  // nullptr if it could not be mapped.
  const perf_event_mmap_page* get() const {
    return page_ == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(page_);
  }

 private:
  void* page_;
};

uint64_t NowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

class PerfGroup : public OpenCounters {
 public:
  PerfGroup(std::vector<FileDescriptor> events, bool user_space) : events_(std::move(events)) {
    if (!user_space) return;
    for (const FileDescriptor& event : events_) pages_.emplace_back(event.get());
  }

  absl::StatusOr<CounterReading> Read() override {
    if (pages_.empty()) return ReadByKernel();
    std::optional<CounterReading> fast = ReadPages();
    if (fast.has_value()) return *std::move(fast);
    PMDEX_ASSIGN_OR_RETURN(CounterReading reading, ReadByKernel());
    SetTimes(reading.enabled_ns - reading.running_ns, reading);
    return reading;
  }

 private:
  absl::StatusOr<CounterReading> ReadByKernel() const {
    // struct read_format of perf_event_open(2): count, enabled, running, values.
    std::array<uint64_t, 3 + kMostGroupEvents> words = {};
    const ssize_t size = read(events_[0].get(), words.data(), sizeof(words));
    if (size < 0) return ErrnoStatus(errno, "reading a group of counters");
    if (words[0] != events_.size()) {
      return MakeStatus(absl::StatusCode::kInternal, absl::StrCat("a group of ", events_.size(),
                                                                  " counters returned ", words[0]));
    }
    const auto* const counts = words.data() + 3;
    return CounterReading{words[1], words[2], {counts, counts + events_.size()}};
  }

  // Nothing if one of the counters cannot be read without a system call.
  std::optional<CounterReading> ReadPages() const {
    CounterReading reading;
    for (const EventPage& page : pages_) {
      if (page.get() == nullptr) return std::nullopt;
      const std::optional<uint64_t> count = ReadInUserSpace(*page.get(), ReadPmc);
      if (!count.has_value()) return std::nullopt;
      reading.counts.push_back(*count);
    }
    const perf_event_mmap_page& page = *pages_[0].get();
    SetTimes(page.time_enabled - page.time_running, reading);
    return reading;
  }

  // The page has the times of the last switch of threads, the kernel has those of now. What the
  // group missed is the same in both while it counts; the clock gives the rest.
  static void SetTimes(uint64_t missed_ns, CounterReading& reading) {
    reading.enabled_ns = NowNs();
    reading.running_ns = reading.enabled_ns - missed_ns;
  }

  std::vector<FileDescriptor> events_;  // the leader of the group first
  std::vector<EventPage> pages_;        // indexed like events_; empty: read by the system call
};

}  // namespace

int OpenPerfEvent(perf_event_attr* attributes, int thread, int cpu, int group, unsigned flags) {
  return static_cast<int>(syscall(SYS_perf_event_open, attributes, thread, cpu, group, flags));
}

perf_event_attr AttributesOf(const CounterEvent& event) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = static_cast<uint32_t>(event.type);
  attributes.config = event.config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attributes;
}

absl::StatusOr<std::unique_ptr<OpenCounters>> PerfCounterSource::OpenForThread(
    std::span<const CounterEvent> events, int thread) {
  if (events.empty() || events.size() > kMostGroupEvents) {
    return InvalidArgument(absl::StrCat("a group of ", events.size(), " events"));
  }
  std::vector<FileDescriptor> opened;
  bool hardware = true;
  for (const CounterEvent& event : events) {
    perf_event_attr attributes = AttributesOf(event);
    const int leader = opened.empty() ? -1 : opened[0].get();
    FileDescriptor fd(open_(&attributes, thread, /*cpu=*/-1, leader, PERF_FLAG_FD_CLOEXEC));
    if (!fd.valid()) {
      return ErrnoStatus(errno, absl::StrCat("counting ", std::string(event.source)));
    }
    opened.push_back(std::move(fd));
    hardware = hardware && event.type != EventType::kSoftware;
  }
  // Only the thread that is counted may read its counters in user space.
  return std::make_unique<PerfGroup>(std::move(opened), hardware && thread == 0);
}

std::optional<uint64_t> ReadInUserSpace(const perf_event_mmap_page& page,
                                        const std::function<uint64_t(uint32_t)>& read_pmc) {
  const volatile perf_event_mmap_page& shared = page;
  while (true) {
    const uint32_t sequence = shared.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const uint32_t index = shared.index;
    if (shared.cap_user_rdpmc == 0 || index == 0) return std::nullopt;
    const unsigned unused_bits = 64u - shared.pmc_width;
    const int64_t offset = shared.offset;
    uint64_t raw = read_pmc(index - 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (shared.lock != sequence) continue;
    // The counter has pmc_width bits and a sign.
    const int64_t value = static_cast<int64_t>(raw << unused_bits) >> unused_bits;
    return static_cast<uint64_t>(offset + value);
  }
}

}  // namespace pmdex
