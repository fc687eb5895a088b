#include "tools/server/serve_config.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/impl/preprocessor.h>
// toml++ 3.3 assumes that each key begins with a letter that may begin one, but "[[[" reaches that
// place, and there the behaviour would be undefined. Without the assumption it reports an error.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status ConfigError(uint32_t line, std::string_view what) {
  return InvalidArgument(absl::StrCat("line ", line, ": ", ToAbsl(what)));
}

absl::StatusOr<std::string> ConfigValue(const toml::node& node, std::string_view key) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return absl::StrCat(number->get());
  if (const auto* truth = node.as_boolean()) return std::string(truth->get() ? "true" : "false");
  return ConfigError(node.source().begin.line,
                     absl::StrCat("'", ToAbsl(key), "' needs a text, a number, true or false"));
}

absl::StatusOr<ConfigEntry> EntryOf(std::string_view key, const toml::node& node) {
  ConfigEntry entry{std::string(key), {}, node.source().begin.line};
  const auto* list = node.as_array();
  if (list == nullptr) {
    PMDEX_ASSIGN_OR_RETURN(std::string value, ConfigValue(node, key));
    entry.values.push_back(std::move(value));
    return entry;
  }
  for (const toml::node& element : *list) {
    PMDEX_ASSIGN_OR_RETURN(std::string value, ConfigValue(element, key));
    entry.values.push_back(std::move(value));
  }
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<ConfigEntry>> ParseServeConfig(std::string_view text) {
  // toml++ 3.3 has undefined behaviour on some letters beyond ASCII outside quotes.
  const auto beyond = std::find_if(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (beyond != text.end()) {
    const auto line = static_cast<uint32_t>(std::count(text.begin(), beyond, '\n')) + 1;
    return ConfigError(line, "a letter beyond ASCII (hint: write \\u00e9 inside quotes)");
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return ConfigError(parsed.error().source().begin.line, parsed.error().description());
  }
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : parsed.table()) {
    PMDEX_ASSIGN_OR_RETURN(ConfigEntry entry, EntryOf(key.str(), node));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const ConfigEntry& a, const ConfigEntry& b) { return a.line < b.line; });
  return entries;
}

}  // namespace pmdex
