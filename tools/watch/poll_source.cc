#include "tools/watch/poll_source.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace pmdex {

absl::StatusOr<std::unique_ptr<ChangeSource>> PollSource::Open(const std::vector<TreeRoot>& roots,
                                                               std::chrono::milliseconds interval) {
  FileDescriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer.valid()) return ErrnoStatus(errno, "timerfd_create");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval);
  itimerspec period = {};
  period.it_interval.tv_sec = seconds.count();
  period.it_interval.tv_nsec = std::chrono::nanoseconds(interval - seconds).count();
  period.it_value = period.it_interval;
  if (timerfd_settime(timer.get(), 0, &period, nullptr) != 0) {
    return ErrnoStatus(errno, "timerfd_settime");
  }
  return std::unique_ptr<ChangeSource>(new PollSource(roots, std::move(timer)));
}

absl::Status PollSource::Read(const ChangeSink& sink) {
  uint64_t times = 0;
  if (read(timer_.get(), &times, sizeof times) != sizeof times) return absl::OkStatus();
  for (const TreeRoot& root : roots_) sink({ChangeKind::kRescan, root.path(), {}});
  return absl::OkStatus();
}

}  // namespace pmdex
