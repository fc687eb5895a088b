#include "tools/watch/throttle.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

using std::chrono::nanoseconds;

// A merge that hardly moves would keep changes waiting.
constexpr double kLeastShareOfMerge = 0.01;
constexpr nanoseconds kLeastWait{1'000'000};     // shorter ones would cost more than they spare
constexpr nanoseconds kLongestWait{50'000'000};  // between two looks at the stop flag

nanoseconds ClockTime(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

std::optional<double> ParsePositive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !(value > 0) || value > 1e9) return std::nullopt;
  return value;
}

}  // namespace

absl::StatusOr<Throttle> Throttle::Parse(std::string_view text) {
  Throttle throttle;
  if (text.empty()) return throttle;
  if (text.ends_with('%')) {
    const auto percent = ParsePositive(text.substr(0, text.size() - 1));
    if (percent.has_value() && *percent <= 100) {
      throttle.cpu_share_ = *percent / 100;
      return throttle;
    }
  } else if (text.ends_with("/s")) {
    const auto files = ParsePositive(text.substr(0, text.size() - 2));
    if (files.has_value()) {
      throttle.files_per_second_ = *files;
      return throttle;
    }
  }
  return InvalidArgument(absl::StrCat("--throttle: ", ToAbsl(text),
                                      " is neither a part of a CPU such as 25% nor a number of "
                                      "files such as 100/s"));
}

std::chrono::nanoseconds Throttle::RestAfter(uint64_t files, std::chrono::nanoseconds cpu,
                                             std::chrono::nanoseconds elapsed) const {
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  Nanoseconds whole{0};
  if (cpu_share_ > 0) whole = Nanoseconds(cpu) / cpu_share_;
  if (files_per_second_ > 0)
    whole = Nanoseconds(1e9 * static_cast<double>(files) / files_per_second_);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(whole) - elapsed;
  return std::max(rest, std::chrono::nanoseconds(0));
}

double Throttle::ShareOfMerge(nanoseconds reading_cpu, nanoseconds reading_elapsed) const {
  if (cpu_share_ > 0) return cpu_share_;
  if (!(files_per_second_ > 0)) return 0;
  const double share =
      reading_elapsed.count() <= 0
          ? 0
          : static_cast<double>(reading_cpu.count()) / static_cast<double>(reading_elapsed.count());
  return std::clamp(share, kLeastShareOfMerge, 1.0);
}

CpuPacer::Time CpuPacer::Time::Real() {
  return {[] { return ClockTime(CLOCK_MONOTONIC); },
          [] { return ClockTime(CLOCK_THREAD_CPUTIME_ID); },
          [](nanoseconds time) { std::this_thread::sleep_for(time); }};
}

CpuPacer::CpuPacer(double share, std::function<bool()> stop, Time time)
    : share_(share),
      stop_(std::move(stop)),
      time_(std::move(time)),
      start_(time_.now()),
      cpu_start_(time_.cpu()) {}

void CpuPacer::Keep() {
  if (!(share_ > 0)) return;
  const std::chrono::duration<double, std::nano> taken = time_.cpu() - cpu_start_;
  const nanoseconds until = start_ + std::chrono::duration_cast<nanoseconds>(taken / share_);
  nanoseconds now = time_.now();
  if (until - now < kLeastWait) return;
  for (; now < until && !stop_(); now = time_.now()) {
    time_.wait(std::min(until - now, kLongestWait));
  }
}

}  // namespace pmdex
