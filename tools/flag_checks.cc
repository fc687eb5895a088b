#include "tools/flag_checks.h"

#include <cstdint>
#include <string>

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
        // CLI11 takes a number that does not fit for the greatest one.
        return text == std::to_string(UINT64_MAX) ? "a size is too large" : "";
      },
      size.get_description());
}

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, "");
}

}  // namespace pmdex
