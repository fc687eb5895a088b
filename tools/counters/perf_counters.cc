#include "tools/counters/perf_counters.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

constexpr size_t kMostGroupEvents = 16;

class PerfGroup : public OpenCounters {
 public:
  explicit PerfGroup(std::vector<FileDescriptor> events) : events_(std::move(events)) {}

  absl::StatusOr<CounterReading> Read() override {
    // struct read_format of perf_event_open(2): count, enabled, running, values.
    std::array<uint64_t, 3 + kMostGroupEvents> words = {};
    const ssize_t size = read(events_[0].get(), words.data(), sizeof(words));
    if (size < 0) return ErrnoStatus(errno, "reading counters");
    if (words[0] != events_.size()) return ErrnoStatus(EIO, "reading counters");
    CounterReading reading;
    reading.enabled_ns = words[1];
    reading.running_ns = words[2];
    reading.counts.assign(words.begin() + 3,
                          words.begin() + 3 + static_cast<ptrdiff_t>(events_.size()));
    return reading;
  }

 private:
  std::vector<FileDescriptor> events_;  // the leader of the group first
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

absl::StatusOr<std::unique_ptr<OpenCounters>> PerfCounterSource::Open(
    std::span<const CounterEvent> events) {
  if (events.empty() || events.size() > kMostGroupEvents) {
    return InvalidArgument(absl::StrCat("a group of ", events.size(), " events"));
  }
  std::vector<FileDescriptor> opened;
  for (const CounterEvent& event : events) {
    perf_event_attr attributes = AttributesOf(event);
    const int leader = opened.empty() ? -1 : opened[0].get();
    FileDescriptor fd(open_(&attributes, /*thread=*/0, /*cpu=*/-1, leader, PERF_FLAG_FD_CLOEXEC));
    if (!fd.valid()) {
      return ErrnoStatus(errno, absl::StrCat("counting ", std::string(event.source)));
    }
    opened.push_back(std::move(fd));
  }
  return std::make_unique<PerfGroup>(std::move(opened));
}

}  // namespace pmdex
