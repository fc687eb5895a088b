#include "query/language/query_escapes.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace {

constexpr size_t kNumberBytes = 6;  // \u0041

// The number of the escape `\uXXXX` that the text begins with; nullopt if it begins with none.
std::optional<uint32_t> NumberOf(std::string_view text) {
  if (text.size() < kNumberBytes || !text.starts_with("\\u")) return std::nullopt;
  uint32_t number = 0;
  const char* const end = text.data() + kNumberBytes;
  const auto parsed = std::from_chars(text.data() + 2, end, number, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

struct Numbered {
  uint32_t character = 0;
  size_t size_bytes = 0;  // of the escapes; 0: there is no such character
};

// The character of the one or two `\uXXXX` escapes that the text begins with. A surrogate without
// its other half is not a character.
Numbered NumberedCharacter(std::string_view text) {
  const std::optional<uint32_t> number = NumberOf(text);
  if (!number.has_value()) return {};
  if (*number < 0xd800 || *number > 0xdfff) return {*number, kNumberBytes};
  const std::optional<uint32_t> second = NumberOf(text.substr(kNumberBytes));
  if (*number > 0xdbff || !second.has_value() || *second < 0xdc00 || *second > 0xdfff) return {};
  return {0x10000 + ((*number - 0xd800) << 10 | (*second - 0xdc00)), 2 * kNumberBytes};
}

bool IsNumbered(std::string_view text) {
  return text.size() > 1 && text[1] == 'u';
}

}  // namespace

size_t EscapeBytes(std::string_view text) {
  if (text.size() < 2) return 0;
  if (IsNumbered(text)) return NumberedCharacter(text).size_bytes;
  return 1 + CodePointBytes(text.substr(1));
}

std::string Unescape(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t size_bytes = 1;
    if (text[0] != '\\') {
      out += text[0];
    } else if (IsNumbered(text)) {
      const Numbered numbered = NumberedCharacter(text);
      AppendCodePoint(numbered.character, out);
      size_bytes = numbered.size_bytes;
    } else {
      size_bytes = EscapeBytes(text);
      out += text.substr(1, size_bytes - 1);
    }
    text.remove_prefix(size_bytes);
  }
  return out;
}

std::string UnescapeNumbers(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size_bytes = text[0] == '\\' ? EscapeBytes(text) : 1;
    const std::string_view here = text.substr(0, size_bytes);
    out += IsNumbered(here) ? "\\" + Unescape(here) : std::string(here);
    text.remove_prefix(size_bytes);
  }
  return out;
}

}  // namespace pmdex
