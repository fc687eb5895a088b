// Reads the small text files below /sys and /proc. root: stands before every path; tests give a
// recorded tree. All functions return nullopt for a file that is missing or unreadable; it means
// that this kernel or machine does not have the feature. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// The whole text without white space at its end. path: relative ("sys/kernel/mm/...").
std::optional<std::string> ReadSysText(std::string_view root, std::string_view path);
// A decimal number, or a hexadecimal one after 0x. It may have a sign.
std::optional<int64_t> ReadSysInt(std::string_view root, std::string_view path);
// The bracketed word of a text like "always [madvise] never"; the whole text if it has no brackets.
std::optional<std::string> ReadSysChoice(std::string_view root, std::string_view path);
// The names in a directory, sorted. Empty if there is no such directory.
std::vector<std::string> ListSysNames(std::string_view root, std::string_view path);

}  // namespace pmdex
