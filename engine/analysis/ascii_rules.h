// How each analyzer treats the bytes of ASCII. The scalar code and all vector kernels derive their
// tables from these rules, so they cannot treat a byte differently.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pmdex {

// What a byte can be, as bits. A byte without any of them separates words.
struct ByteClass {
  static constexpr uint8_t kLetter = 1;
  static constexpr uint8_t kDigit = 2;
  static constexpr uint8_t kUnderscore = 4;
  static constexpr uint8_t kMidLetter = 8;  // part of a word if it stands between two letters
  static constexpr uint8_t kMidDigit = 16;  // part of a word if it stands between two digits
  static constexpr uint8_t kNonAscii = 128;

  static constexpr uint8_t kInWord = kLetter | kDigit | kUnderscore;
  static constexpr uint8_t kMid = kMidLetter | kMidDigit;
};

constexpr bool IsAsciiUpper(int c) {
  return c >= 'A' && c <= 'Z';
}
constexpr uint8_t AlphanumericClass(int c) {
  if (IsAsciiUpper(c) || (c >= 'a' && c <= 'z')) return ByteClass::kLetter;
  return c >= '0' && c <= '9' ? ByteClass::kDigit : 0;
}

struct StandardAscii {
  static constexpr bool kUnderscoreInWord = true;
  static constexpr bool kMidPunctuation = true;  // "can't", "3.14", "1,000": WB6, 7, 11 and 12
  static constexpr bool kFoldsCase = true;
  static constexpr uint8_t ClassOf(int c) {
    if (c == '_') return ByteClass::kUnderscore;
    if (c == '.' || c == '\'') return ByteClass::kMid;
    return c == ',' || c == ';' ? ByteClass::kMidDigit : AlphanumericClass(c);
  }
};
struct LogAscii {
  static constexpr bool kUnderscoreInWord = false;
  static constexpr bool kMidPunctuation = false;
  static constexpr bool kFoldsCase = true;
  static constexpr uint8_t ClassOf(int c) { return AlphanumericClass(c); }
};
struct WhitespaceAscii {
  static constexpr bool kUnderscoreInWord = false;
  static constexpr bool kMidPunctuation = false;
  static constexpr bool kFoldsCase = false;
  static constexpr uint8_t ClassOf(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r') ? 0 : ByteClass::kLetter;
  }
};

template <typename Ascii>
constexpr std::array<uint8_t, 256> MakeByteClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    classes[static_cast<size_t>(c)] = c < 128 ? Ascii::ClassOf(c) : ByteClass::kNonAscii;
  }
  return classes;
}

template <typename Ascii>
inline constexpr std::array<uint8_t, 256> kByteClasses = MakeByteClasses<Ascii>();

}  // namespace pmdex
