// Finds where a word ends, one character at a time. Every tokenizer must give the same words. The
// tokenizers call it for words that their code for ASCII cannot decide.
//
// WordScanner follows UAX #29 (WB4 to WB13b) as Lucene's StandardTokenizer applies it. Only
// segments with a letter, digit, ideograph or kana are words; "___" and emoji are not. It has no
// dictionaries: each Han or Hiragana character is a word, and a run of Thai, Lao, Khmer or Burmese
// is one word. ':' ends a word (Unicode 15.1 and ICU 72; Lucene still joins letters by it), and so
// does '@'. A word ends before an emoji even behind a ZWJ (no WB3c).
//
// A border depends on nothing before it, so scanning may begin at any word border. Scanners take
// constant memory, however long a word is. They view the text and a CharTable, and are for one
// thread.
#pragma once

#include "engine/analysis/unicode.h"

namespace pmdex {

// The character that a scanner has read last.
struct ScannedChar {
  const char* begin = nullptr;
  const char* end = nullptr;
  CharInfo info;
};

// Reads the character at p. Invalid bytes are part of no word. Requires p < end.
inline ScannedChar ScanChar(const char* p, const char* end, CharTable& table) {
  const auto byte = static_cast<unsigned char>(*p);
  if (byte < 0x80) return {p, p + 1, table.Get(byte)};
  const DecodedChar decoded = DecodeUtf8(p, end);
  return {p, p + decoded.size, table.Get(decoded.value)};
}

class WordScanner {
 public:
  WordScanner(const char* end, CharTable& table) : end_(end), table_(&table) {}

  // Begins with the word at p, a word border. False if no word begins there; then position() is the
  // next place where one may begin. Requires p < end.
  bool Start(const char* p);
  // Reads the next character of the word. False at the end of the word, which is position().
  bool Advance();

  const ScannedChar& current() const { return current_; }
  const char* position() const { return position_; }

 private:
  bool Joins(WordClass next, const char* after_next);
  WordClass ClassAfterExtend(const char* p);

  const char* end_;
  CharTable* table_;
  const char* position_ = nullptr;
  ScannedChar current_;
  WordClass previous_ = WordClass::kOther;  // of the last character that is not kExtend
  bool at_start_ = false;
};

// Like WordScanner, but words are maximal runs of letters, marks and digits.
class AlphanumericScanner {
 public:
  AlphanumericScanner(const char* end, CharTable& table) : end_(end), table_(&table) {}

  bool Start(const char* p);
  bool Advance();

  const ScannedChar& current() const { return current_; }
  const char* position() const { return position_; }

 private:
  const char* end_;
  CharTable* table_;
  const char* position_ = nullptr;
  ScannedChar current_;
};

}  // namespace pmdex
