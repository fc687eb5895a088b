#include "tools/watch/throttle.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

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

}  // namespace pmdex
