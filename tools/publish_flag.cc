#include "tools/publish_flag.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "engine/store/placement/tier_policy.h"
#include "pmem/text.h"
#include "tools/flag_checks.h"

namespace pmdex {
namespace {

// Longer times are refused: in milliseconds they do not fit into a clock's numbers.
constexpr uint64_t kMaxSeconds = uint64_t{100} * 365 * 86'400;

std::optional<uint64_t> ParseSize(std::string_view text) {
  std::string size(text);
  uint64_t size_bytes = 0;
  try {
    if (!SizeValue()(size).empty()) return std::nullopt;
  } catch (const CLI::ParseError&) {  // a size that no number holds
    return std::nullopt;
  }
  return absl::SimpleAtoi(size, &size_bytes) ? std::optional(size_bytes) : std::nullopt;
}

bool IsSize(std::string_view text) {
  return absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
         text.find_first_of("KMGTPE") != std::string_view::npos;
}

}  // namespace

absl::Status ParsePublishEvery(std::string_view text, IngestOptions& options) {
  options.publish_interval = {};
  options.publish_bytes = 0;
  if (text.empty()) return absl::OkStatus();
  if (const std::optional<uint64_t> seconds = ParseAge(text)) {
    if (*seconds <= kMaxSeconds) options.publish_interval = std::chrono::seconds(*seconds);
  } else if (IsSize(text)) {
    options.publish_bytes = ParseSize(text).value_or(0);
  }
  if (options.publishes_parts()) return absl::OkStatus();
  return InvalidArgument(
      absl::StrCat("--publish-every takes a time such as 30s or 10m, or a size "
                   "of input such as 512M or 1G, not '",
                   ToAbsl(text), "'"));
}

void AddPublishFlag(CLI::App& command, std::string& flag) {
  command
      .add_option("--publish-every", flag,
                  "make the documents so far searchable after so much time (30s, 10m, 2h) or input "
                  "(512M, 1G), and at least once a minute, while the build goes on "
                  "(default: all at its end)")
      ->check([](const std::string& text) {
        return text.empty() ? std::string("a time or a size is missing") : std::string();
      })
      ->type_name("TIME|SIZE");
}

}  // namespace pmdex
