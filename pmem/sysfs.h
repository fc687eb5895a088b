// Reads the small text files under /sys and /proc. `root` stands before every path ("/" in use, a
// recorded tree in tests). What is missing or unreadable is nullopt: on these trees that means
// "this kernel or machine does not have it". Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// The whole text without the white space at its end. `path` is relative: "sys/kernel/mm/...".
std::optional<std::string> ReadSysText(std::string_view root, std::string_view path);
// A number in decimal, or in hexadecimal after 0x; with a sign where there is one.
std::optional<int64_t> ReadSysInt(std::string_view root, std::string_view path);
// The chosen word of "always [madvise] never"; the whole text where none is bracketed.
std::optional<std::string> ReadSysChoice(std::string_view root, std::string_view path);
// Names in a directory, sorted; empty when there is none.
std::vector<std::string> ListSysNames(std::string_view root, std::string_view path);

}  // namespace pmdex
