// What the tokenizers know of Unicode: UTF-8 decoding, the properties of a code point that decide
// about words, and NFKC casefold. Below the tokenizers and next to nothing else; ICU and utf8proc
// stay behind it.
//
// CharTable and CaseFolder own scratch memory and are for one thread each. Nothing here fails:
// invalid UTF-8 reads as U+FFFD, one for each maximal subpart (Unicode 15, section 3.9).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

struct DecodedChar {
  char32_t value = kReplacementCharacter;
  uint32_t size = 1;  // bytes of the text it covers, at least 1
  bool valid = false;
};

// DecodeUtf8 for any bytes.
DecodedChar DecodeAnyUtf8(const char* p, const char* end);

// The character at p. Requires: p < end.
inline DecodedChar DecodeUtf8(const char* p, const char* end) {
  // Two and three valid bytes, nearly all that is not ASCII, need few comparisons.
  const auto byte = [p](size_t i) -> uint32_t { return static_cast<unsigned char>(p[i]); };
  if (end - p >= 3) [[likely]] {
    const uint32_t second = byte(1) ^ 0x80;
    const uint32_t third = byte(2) ^ 0x80;
    if (byte(0) - 0xC2 < 0xE0 - 0xC2 && second < 0x40) {
      return {(byte(0) & 0x1F) << 6 | second, 2, true};
    }
    if (byte(0) - 0xE1 < 0xED - 0xE1 && (second | third) < 0x40) {
      return {(byte(0) & 0xF) << 12 | second << 6 | third, 3, true};
    }
  }
  return DecodeAnyUtf8(p, end);
}

// Writes c as UTF-8 (1 to 4 bytes) and returns the number of bytes. Requires: c is a scalar value.
size_t EncodeUtf8(char32_t c, char* out);

// The length of the UTF-8 sequence that lead starts. Requires: lead is the first byte of valid
// UTF-8.
constexpr size_t Utf8Length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The Word_Break property (UAX #29), with what the rules treat alike folded together and what they
// leave to dictionaries kept apart.
enum class WordClass : uint8_t {
  kOther,   // in no word
  kExtend,  // Extend, Format and ZWJ: part of whatever stands before them (WB4)
  kLetter,
  kHebrewLetter,
  kNumeric,
  kKatakana,
  kExtendNumLet,    // underscores
  kIdeograph,       // Han and Hiragana: a word each
  kSoutheastAsian,  // Thai, Lao, Khmer, Burmese, ...: a run is a word
  kMidLetter,
  kMidNum,
  kMidNumLet,
  kSingleQuote,
  kDoubleQuote,
};

// The properties of one code point, packed into a word.
class CharInfo {
 public:
  constexpr CharInfo() = default;
  explicit constexpr CharInfo(uint32_t bits) : bits_(bits) {}

  // The one code point this one folds to when neither neighbour can change that; 0 when it takes
  // CaseFolder to tell. A word of such characters only is folded one by one.
  constexpr char32_t simple_fold() const { return bits_ & kFoldMask; }
  constexpr WordClass word_class() const {
    return static_cast<WordClass>((bits_ >> kClassShift) & 0xF);
  }
  // Letter, mark or number (general categories L, M and N).
  constexpr bool is_alphanumeric() const { return (bits_ & kAlphanumeric) != 0; }
  // Unicode's White_Space.
  constexpr bool is_space() const { return (bits_ & kSpace) != 0; }
  // Normalising before and after this character's begin apart gives the same as together.
  constexpr bool starts_cluster() const { return (bits_ & kStartsCluster) != 0; }

  static constexpr uint32_t kFoldMask = 0x1FFFFF;
  static constexpr uint32_t kClassShift = 21;
  static constexpr uint32_t kAlphanumeric = 1U << 25;
  static constexpr uint32_t kSpace = 1U << 26;
  static constexpr uint32_t kStartsCluster = 1U << 27;

 private:
  uint32_t bits_ = 0;
};

// CharInfo of every code point, computed by pages of 256 when first asked for: a text pays for the
// scripts it uses.
class CharTable {
 public:
  // Requires: c <= U+10FFFF.
  CharInfo Get(char32_t c) {
    const Page* page = pages_[c / kPageSize].get();
    if (page == nullptr) [[unlikely]]
      page = FillPage(c / kPageSize);
    return (*page)[c % kPageSize];
  }

 private:
  static constexpr size_t kPageSize = 256;
  using Page = std::array<CharInfo, kPageSize>;

  const Page* FillPage(size_t index);

  std::array<std::unique_ptr<Page>, 0x110000 / kPageSize> pages_;
};

// NFKC_Casefold (Unicode 15, section 3.13).
class CaseFolder {
 public:
  // The view is valid until the next call; it may be empty (a word of soft hyphens).
  std::string_view Fold(std::string_view text);

 private:
  std::vector<int32_t> code_points_ = std::vector<int32_t>(256);
  std::string folded_;
};

std::string NfkcCasefold(std::string_view text);

}  // namespace pmdex
