#include "tools/flag_checks.h"

#include <string>

namespace pmdex {

CLI::Validator SizeValue() {
  const CLI::AsSizeValue size(false);
  return CLI::Validator(
      [size](std::string& text) -> std::string {
        const size_t first = text.find_first_not_of(" \t");
        if (first == std::string::npos) return "a size is missing";
        if (text[first] == '-') return "a size is not negative: " + text;
        return size(text);
      },
      size.get_description());
}

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, "");
}

}  // namespace pmdex
