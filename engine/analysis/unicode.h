// What the tokenizers need of Unicode: decoding of UTF-8, the properties of code points that decide
// where words end, and NFKC casefold. Only unicode.cc uses ICU and utf8proc.
//
// CharTable and CaseFolder own scratch memory; each thread needs its own. No function fails:
// invalid UTF-8 is read as U+FFFD, one for each maximal subpart (Unicode 15, section 3.9).
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
  uint32_t size = 1;  // how many bytes of the text it takes, at least 1
  bool valid = false;
};

// DecodeUtf8 without its fast path.
DecodedChar DecodeAnyUtf8(const char* p, const char* end);

// The character at p. Requires p < end.
inline DecodedChar DecodeUtf8(const char* p, const char* end) {
  // Nearly all characters beyond ASCII have two or three valid bytes, which take few comparisons.
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

// Writes c as UTF-8 (1 to 4 bytes) and returns the number of bytes. Requires a scalar value.
size_t EncodeUtf8(char32_t c, char* out);

// The length of the UTF-8 sequence that begins with `lead`. Requires the first byte of valid UTF-8.
constexpr size_t Utf8Length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The Word_Break property (UAX #29). Values that the rules treat alike are one class here; scripts
// that the rules leave to dictionaries have classes of their own.
enum class WordClass : uint8_t {
  kOther,   // in no word
  kExtend,  // Extend, Format and ZWJ: they belong to the character before them (WB4)
  kLetter,
  kHebrewLetter,
  kNumeric,
  kKatakana,
  kExtendNumLet,    // underscores
  kIdeograph,       // Han and Hiragana: each character is a word
  kSoutheastAsian,  // Thai, Lao, Khmer, Burmese, ...: a run of them is a word
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

  // The code point that this one folds to, if the characters beside it cannot change that; 0 if
  // only CaseFolder can tell. A word in which no character has 0 may be folded one by one.
  constexpr char32_t simple_fold() const { return bits_ & kFoldMask; }
  constexpr WordClass word_class() const {
    return static_cast<WordClass>((bits_ >> kClassShift) & 0xF);
  }
  // Letter, mark or number (general categories L, M and N).
  constexpr bool is_alphanumeric() const { return (bits_ & kAlphanumeric) != 0; }
  // Unicode's White_Space.
  constexpr bool is_space() const { return (bits_ & kSpace) != 0; }
  // True if the text before this character and the text from it on may be normalised separately.
  constexpr bool starts_cluster() const { return (bits_ & kStartsCluster) != 0; }

  static constexpr uint32_t kFoldMask = 0x1FFFFF;
  static constexpr uint32_t kClassShift = 21;
  static constexpr uint32_t kAlphanumeric = 1U << 25;
  static constexpr uint32_t kSpace = 1U << 26;
  static constexpr uint32_t kStartsCluster = 1U << 27;

 private:
  uint32_t bits_ = 0;
};

// The CharInfo of every code point. The table computes a page of 256 of them when one is first
// needed, so a text costs only the scripts that it uses.
class CharTable {
 public:
  // Requires c <= U+10FFFF.
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
  // The result is valid until the next call. It may be empty, as for a word of soft hyphens.
  std::string_view Fold(std::string_view text);

 private:
  std::vector<int32_t> code_points_ = std::vector<int32_t>(256);
  std::string folded_;
};

std::string NfkcCasefold(std::string_view text);

}  // namespace pmdex
