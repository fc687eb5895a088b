#include "engine/analysis/unicode.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <utf8proc.h>

#include <cstring>

namespace pmdex {
namespace {

constexpr auto kFoldOptions = static_cast<utf8proc_option_t>(
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
constexpr auto kComposeOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

bool IsContinuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

WordClass ClassOfUnbroken(char32_t c) {
  // UAX #29 leaves these scripts to dictionaries. Lucene's StandardTokenizer has none, and so gives
  // the same words whatever the version of the library: one character, or one run.
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &error);
  if (script == USCRIPT_HAN || script == USCRIPT_HIRAGANA) return WordClass::kIdeograph;
  const int32_t line_break = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_LINE_BREAK);
  return line_break == U_LB_COMPLEX_CONTEXT ? WordClass::kSoutheastAsian : WordClass::kOther;
}

WordClass ClassOf(char32_t c) {
  switch (u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return WordClass::kLetter;
    case U_WB_HEBREW_LETTER:
      return WordClass::kHebrewLetter;
    case U_WB_NUMERIC:
      return WordClass::kNumeric;
    case U_WB_KATAKANA:
      return WordClass::kKatakana;
    case U_WB_EXTENDNUMLET:
      return WordClass::kExtendNumLet;
    case U_WB_EXTEND:
    case U_WB_FORMAT:
    case U_WB_ZWJ:
      return WordClass::kExtend;
    case U_WB_MIDLETTER:
      // Unicode 15.1 took the colons out of MidLetter, ICU 72 already does.
      return c == ':' || c == 0xFE55 || c == 0xFF1A ? WordClass::kOther : WordClass::kMidLetter;
    case U_WB_MIDNUM:
      return WordClass::kMidNum;
    case U_WB_MIDNUMLET:
      return WordClass::kMidNumLet;
    case U_WB_SINGLE_QUOTE:
      return WordClass::kSingleQuote;
    case U_WB_DOUBLE_QUOTE:
      return WordClass::kDoubleQuote;
    case U_WB_OTHER:
      return ClassOfUnbroken(c);
    default:
      return WordClass::kOther;
  }
}

bool IsAlphanumeric(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

// Whether c neither is reordered nor composes with what stands before it.
bool IsInertBefore(char32_t c) {
  // Vowel and trailing jamo compose with the syllable before them, by arithmetic and not by table.
  if (c >= 0x1160 && c <= 0x11FF) return false;
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  const bool composes_backwards =
      property->comb_index != UINT16_MAX && property->comb_index >= 0x8000;
  return property->combining_class == 0 && !composes_backwards;
}

CharInfo Compute(char32_t c) {
  uint32_t bits = static_cast<uint32_t>(ClassOf(c)) << CharInfo::kClassShift;
  if (IsAlphanumeric(c)) bits |= CharInfo::kAlphanumeric;
  if (u_isUWhiteSpace(static_cast<UChar32>(c))) bits |= CharInfo::kSpace;
  std::array<utf8proc_int32_t, 64> folded;
  int boundary = 0;
  utf8proc_ssize_t n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded.data(),
                                               folded.size(), kFoldOptions, &boundary);
  if (n <= 0 || n > static_cast<utf8proc_ssize_t>(folded.size())) return CharInfo(bits);
  if (!IsInertBefore(static_cast<char32_t>(folded[0]))) return CharInfo(bits);
  bits |= CharInfo::kStartsCluster;
  n = utf8proc_normalize_utf32(folded.data(), n, kComposeOptions);
  if (n == 1) bits |= static_cast<uint32_t>(folded[0]);
  return CharInfo(bits);
}

std::string WithoutInvalid(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const DecodedChar c = DecodeUtf8(p, end);
    if (c.valid) {
      result.append(p, c.size);
    } else {
      result.append(kReplacementUtf8);
    }
    p += c.size;
  }
  return result;
}

}  // namespace

DecodedChar DecodeAnyUtf8(const char* p, const char* end) {
  const auto byte = [p](size_t i) { return static_cast<unsigned char>(p[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t wanted = lead >= 0xC2 && lead < 0xE0   ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  const auto available = static_cast<size_t>(end - p);
  if (wanted == 0 || available < 2) return {};
  // The second byte's range rules out overlong forms, surrogates and what is beyond U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return {};
  char32_t value = ((lead & (0x7FU >> wanted)) << 6) | (byte(1) & 0x3FU);
  for (uint32_t i = 2; i < wanted; ++i) {
    if (i >= available || !IsContinuation(byte(i))) return {kReplacementCharacter, i, false};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  return {value, static_cast<uint32_t>(wanted), true};
}

size_t EncodeUtf8(char32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; --i) {
    out[i] = static_cast<char>(0x80 | (c & 0x3F));
    c >>= 6;
  }
  constexpr std::array<uint8_t, 5> kLead = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = static_cast<char>(kLead[size] | c);
  return size;
}

const CharTable::Page* CharTable::FillPage(size_t index) {
  auto page = std::make_unique<Page>();
  for (size_t i = 0; i < kPageSize; ++i) {
    (*page)[i] = Compute(static_cast<char32_t>(index * kPageSize + i));
  }
  pages_[index] = std::move(page);
  return pages_[index].get();
}

std::string_view CaseFolder::Fold(std::string_view text) {
  const auto decompose = [this](std::string_view valid) {
    return utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                              static_cast<utf8proc_ssize_t>(valid.size()), code_points_.data(),
                              static_cast<utf8proc_ssize_t>(code_points_.size()), kFoldOptions);
  };
  folded_.clear();
  if (text.empty()) return folded_;
  std::string repaired;
  utf8proc_ssize_t n = decompose(text);
  if (n == UTF8PROC_ERROR_INVALIDUTF8) {
    repaired = WithoutInvalid(text);
    text = repaired;
    n = decompose(text);
  }
  if (n > static_cast<utf8proc_ssize_t>(code_points_.size())) {
    code_points_.resize(static_cast<size_t>(n));
    n = decompose(text);
  }
  if (n <= 0) return folded_;
  n = utf8proc_normalize_utf32(code_points_.data(), n, kComposeOptions);
  std::array<char, 4> utf8;
  for (utf8proc_ssize_t i = 0; i < n; ++i) {
    folded_.append(utf8.data(), EncodeUtf8(static_cast<char32_t>(code_points_[i]), utf8.data()));
  }
  return folded_;
}

std::string NfkcCasefold(std::string_view text) {
  return std::string(CaseFolder().Fold(text));
}

}  // namespace pmdex
