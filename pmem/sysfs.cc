#include "pmem/sysfs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace pmdex {
namespace {

std::filesystem::path Join(std::string_view root, std::string_view path) {
  return std::filesystem::path(root) / path;
}

}  // namespace

std::optional<std::string> ReadSysText(std::string_view root, std::string_view path) {
  std::ifstream file(Join(root, path), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::optional<int64_t> ReadSysInt(std::string_view root, std::string_view path) {
  const std::optional<std::string> text = ReadSysText(root, path);
  if (!text.has_value()) return std::nullopt;
  const bool hexadecimal = text->starts_with("0x");
  const char* begin = text->data() + (hexadecimal ? 2 : 0);
  const char* end = text->data() + text->size();
  int64_t value = 0;
  const auto parsed = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<std::string> ReadSysChoice(std::string_view root, std::string_view path) {
  std::optional<std::string> text = ReadSysText(root, path);
  if (!text.has_value()) return std::nullopt;
  const size_t open = text->find('[');
  const size_t close = text->find(']');
  if (open == text->npos || close == text->npos || close < open) return text;
  return text->substr(open + 1, close - open - 1);
}

std::vector<std::string> ListSysNames(std::string_view root, std::string_view path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(Join(root, path), error);
  const std::filesystem::directory_iterator end;
  for (; !error && entries != end; entries.increment(error)) {
    names.push_back(entries->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pmdex
