// Where a word ends, one character at a time: the reference that every tokenizer must equal. The
// scalar tokenizer sends it what its ASCII path cannot decide.
//
// WordScanner follows UAX #29 (WB4 to WB13b) as Lucene's StandardTokenizer applies it. Only
// segments that hold a letter, digit, ideograph or kana are words: "___" and emoji are none. No
// dictionaries: a Han or Hiragana character is a word of its own, a run of Thai, Lao, Khmer or
// Burmese one word. ':' ends a word (Unicode 15.1 and ICU 72; Lucene still joins letters by it),
// and so does '@'. A word ends before an emoji even behind a ZWJ (no WB3c).
//
// A border depends on nothing before it, so scanning may start at any word border. Memory is
// constant however long the word; the scanners keep views of the text and of a CharTable, and are
// for one thread.
#pragma once

#include "engine/analysis/unicode.h"

namespace pmdex {

// The character a scanner stands on.
struct ScannedChar {
  const char* begin = nullptr;
  const char* end = nullptr;
  CharInfo info;
};

// Reads the character at p; invalid bytes are in no word. Requires: p < end.
inline ScannedChar ScanChar(const char* p, const char* end, CharTable& table) {
  const auto byte = static_cast<unsigned char>(*p);
  if (byte < 0x80) return {p, p + 1, table.Get(byte)};
  const DecodedChar decoded = DecodeUtf8(p, end);
  return {p, p + decoded.size, table.Get(decoded.value)};
}

class WordScanner {
 public:
  WordScanner(const char* end, CharTable& table) : end_(end), table_(&table) {}

  // Stands before the word that begins at p, a border; false when none does: then position() is the
  // next place where one may begin. Requires: p < end.
  bool Start(const char* p);
  // Takes the word's next character; false at its end, which is position().
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
  WordClass previous_ = WordClass::kOther;  // of the last character that is no kExtend
  bool at_start_ = false;
};

// Maximal runs of letters, marks and digits; the same interface.
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
