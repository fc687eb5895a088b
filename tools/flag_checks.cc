#include "tools/flag_checks.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace pmdex {

CLI::Validator SizeValue() {
  const CLI::AsSizeValue size(false);
  return CLI::Validator(
      [size](std::string& text) -> std::string {
        const size_t first = text.find_first_not_of(" \t");
        if (first == std::string::npos) return "a size is missing";
        if (text[first] == '-') return "a size is not negative: " + text;
        std::string error = size(text);
        if (!error.empty()) return error;
        // CLI11 takes a number that does not fit for the greatest one: behind a unit here, and
        // without a unit later, when it reads the text that it has left as it was.
        uint64_t size_bytes = 0;
        const char* const begin = text.data() + text.find_first_not_of(" \t+");
        const auto parsed = std::from_chars(begin, text.data() + text.size(), size_bytes);
        const bool is_too_large =
            parsed.ec == std::errc::result_out_of_range || size_bytes == UINT64_MAX;
        return is_too_large ? "a size is too large" : "";
      },
      size.get_description());
}

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, "");
}

void AddModeFlag(CLI::App& command, std::string& mode) {
  command
      .add_option("--mode", mode,
                  "who may read the files of the index, as chmod takes it; directories get x where "
                  "files get r (default: 0600, this user alone, or as the index that is there)")
      ->type_name("MODE");
}

absl::StatusOr<uint32_t> ParseFileMode(const std::string& text) {
  uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && (mode & ~0666u) == 0 && (mode & 0600) == 0600) return mode;
  return InvalidArgument(
      absl::StrCat("--mode: ", text, " is not an octal mode from 0600 to 0666 as chmod takes it"));
}

}  // namespace pmdex
