#include "engine/analysis/word_scanner.h"

namespace pmdex {
namespace {

bool IsLetter(WordClass c) {
  return c == WordClass::kLetter || c == WordClass::kHebrewLetter;
}

bool IsMidLetter(WordClass c) {
  return c == WordClass::kMidLetter || c == WordClass::kMidNumLet || c == WordClass::kSingleQuote;
}

bool IsMidNum(WordClass c) {
  return c == WordClass::kMidNum || c == WordClass::kMidNumLet || c == WordClass::kSingleQuote;
}

bool IsWordStart(WordClass c) {
  return IsLetter(c) || c == WordClass::kNumeric || c == WordClass::kKatakana ||
         c == WordClass::kIdeograph || c == WordClass::kSoutheastAsian;
}

}  // namespace

bool WordScanner::Start(const char* p) {
  const ScannedChar first = ScanChar(p, end_, *table_);
  position_ = first.end;
  if (first.info.word_class() == WordClass::kExtendNumLet) {
    // Underscores are a word only when something to read follows them.
    WordClass next = WordClass::kExtendNumLet;
    const char* q = first.end;
    while (q != end_) {
      const ScannedChar c = ScanChar(q, end_, *table_);
      next = c.info.word_class();
      if (next != WordClass::kExtendNumLet && next != WordClass::kExtend) break;
      q = c.end;
    }
    if (!IsLetter(next) && next != WordClass::kNumeric && next != WordClass::kKatakana) {
      position_ = q;
      return false;
    }
  } else if (!IsWordStart(first.info.word_class())) {
    return false;
  }
  position_ = p;
  at_start_ = true;
  return true;
}

bool WordScanner::Advance() {
  if (position_ == end_) return false;
  const ScannedChar next = ScanChar(position_, end_, *table_);
  const WordClass next_class = next.info.word_class();
  if (at_start_) {
    at_start_ = false;
    previous_ = next_class;
  } else if (next_class != WordClass::kExtend && !Joins(next_class, next.end)) {
    return false;
  }
  current_ = next;
  position_ = next.end;
  return true;
}

// Whether no border stands between previous_ and next (WB5 to WB13b); moves previous_ on if so.
bool WordScanner::Joins(WordClass next, const char* after_next) {
  const WordClass previous = previous_;
  switch (next) {
    case WordClass::kLetter:
    case WordClass::kHebrewLetter:
    case WordClass::kNumeric:
      previous_ = next;
      return IsLetter(previous) || previous == WordClass::kNumeric ||
             previous == WordClass::kExtendNumLet;
    case WordClass::kKatakana:
      previous_ = next;
      return previous == WordClass::kKatakana || previous == WordClass::kExtendNumLet;
    case WordClass::kExtendNumLet:
      previous_ = next;
      return IsLetter(previous) || previous == WordClass::kNumeric ||
             previous == WordClass::kKatakana || previous == WordClass::kExtendNumLet;
    case WordClass::kSoutheastAsian:
      return previous == WordClass::kSoutheastAsian;
    default:
      break;
  }
  // What is left joins by what follows it, and then leaves previous_ for that to join to.
  if (IsMidLetter(next) && IsLetter(previous) && IsLetter(ClassAfterExtend(after_next)))
    return true;
  if (next == WordClass::kSingleQuote && previous == WordClass::kHebrewLetter) {
    previous_ = WordClass::kOther;  // WB7a: a geresh ends the word
    return true;
  }
  if (next == WordClass::kDoubleQuote && previous == WordClass::kHebrewLetter) {
    return ClassAfterExtend(after_next) == WordClass::kHebrewLetter;
  }
  return IsMidNum(next) && previous == WordClass::kNumeric &&
         ClassAfterExtend(after_next) == WordClass::kNumeric;
}

WordClass WordScanner::ClassAfterExtend(const char* p) {
  while (p != end_) {
    const ScannedChar c = ScanChar(p, end_, *table_);
    if (c.info.word_class() != WordClass::kExtend) return c.info.word_class();
    p = c.end;
  }
  return WordClass::kOther;
}

bool AlphanumericScanner::Start(const char* p) {
  const ScannedChar first = ScanChar(p, end_, *table_);
  position_ = first.info.is_alphanumeric() ? p : first.end;
  return first.info.is_alphanumeric();
}

bool AlphanumericScanner::Advance() {
  if (position_ == end_) return false;
  const ScannedChar next = ScanChar(position_, end_, *table_);
  if (!next.info.is_alphanumeric()) return false;
  current_ = next;
  position_ = next.end;
  return true;
}

}  // namespace pmdex
