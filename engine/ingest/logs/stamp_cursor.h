// Takes characters from the front of a text, for the parsers of time stamps (stamp_forms.h). A
// function that finds something else takes nothing, unless it says otherwise. Not thread-safe; a
// copy is cheap.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pmdex {

class StampCursor {
 public:
  explicit StampCursor(std::string_view text) : text_(text) {}

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  // The next character; 0 at the end.
  char peek(size_t ahead = 0) const { return ahead < text_.size() ? text_[ahead] : '\0'; }
  // How many digits follow, counted up to `most`.
  size_t CountDigits(size_t most) const {
    size_t count = 0;
    while (count < most && IsDigit(peek(count))) ++count;
    return count;
  }
  void Skip(size_t count) { text_.remove_prefix(count); }

  bool Take(char c) {
    if (peek() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Takes one of these characters and returns it; 0 if another one follows.
  char TakeOneOf(std::string_view chars) {
    const char c = peek();
    if (c == '\0' || chars.find(c) == chars.npos) return '\0';
    text_.remove_prefix(1);
    return c;
  }
  // Takes least to most digits, as many as there are; at most 9.
  std::optional<int> TakeNumber(size_t least, size_t most) {
    const size_t digits = CountDigits(most);
    if (digits < least) return std::nullopt;
    int value = 0;
    for (size_t i = 0; i < digits; ++i) value = value * 10 + (text_[i] - '0');
    text_.remove_prefix(digits);
    return value;
  }
  // The same, and the value lies in [low, high].
  std::optional<int> TakeNumber(size_t least, size_t most, int low, int high) {
    StampCursor copy = *this;
    const std::optional<int> value = copy.TakeNumber(least, most);
    if (!value.has_value() || *value < low || *value > high) return std::nullopt;
    *this = copy;
    return value;
  }
  // Takes the word if it is not the beginning of a longer one.
  bool TakeWord(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    const char next = peek(word.size());
    if (IsLetter(next) || IsDigit(next)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

 private:
  std::string_view text_;
};

}  // namespace pmdex
