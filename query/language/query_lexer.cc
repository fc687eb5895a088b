#include "query/language/query_lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "engine/analysis/code_points.h"
#include "query/language/query_escapes.h"

namespace pmdex {
namespace {

constexpr size_t kContextCharacters = 60;  // shown on either side of the place in a message

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Lucene's _TERM_CHAR without escapes; Word() handles escapes, `*` and `?` itself.
constexpr std::array<bool, 256> kMayContinueWord = [] {
  std::array<bool, 256> may;
  may.fill(true);
  for (const char c : std::string_view("!():^[]\"{}~*?\\/")) may[static_cast<uint8_t>(c)] = false;
  return may;
}();

bool MayContinueWord(char c) {
  return kMayContinueWord[static_cast<uint8_t>(c)];
}

constexpr char kWideSpaceBegin = '\xe3';  // the first byte of U+3000

// The same without bytes that may begin white space. The loops below pass plain bytes before they
// look closer at one.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> plain = kMayContinueWord;
  for (const char c : std::string_view(" \t\n\v\f\r")) plain[static_cast<uint8_t>(c)] = false;
  plain[static_cast<uint8_t>(kWideSpaceBegin)] = false;
  return plain;
}();

// The offset of the first byte from `offset` on that is not plain.
size_t PassPlain(std::string_view text, size_t offset) {
  while (offset < text.size() && kIsPlain[static_cast<uint8_t>(text[offset])]) ++offset;
  return offset;
}

}  // namespace

absl::Status QueryError(std::string_view query, size_t offset, std::string_view what) {
  offset = std::min(offset, query.size());
  const size_t column = CountCodePoints(query.substr(0, offset));
  std::string line;
  std::string caret;
  const size_t first = column > kContextCharacters ? column - kContextCharacters : 0;
  size_t character = 0;
  for (std::string_view rest = query; !rest.empty(); ++character) {
    const size_t size = CodePointBytes(rest);
    if (character >= first && character < column + kContextCharacters) {
      const bool control = size == 1 && static_cast<unsigned char>(rest[0]) < 0x20;
      line += control ? std::string_view(" ") : rest.substr(0, size);
      if (character < column) caret += ' ';
    }
    rest.remove_prefix(size);
  }
  return InvalidArgument("column " + std::to_string(column + 1) + ": " + std::string(what) + "\n" +
                         line + "\n" + caret + "^");
}

size_t QueryLexer::SpaceAt(size_t offset) const {
  if (offset >= text_.size()) return 0;
  const char c = text_[offset];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  return text_.substr(offset, 3) == "\u3000" ? 3 : 0;
}

void QueryLexer::PassSpace() {
  while (offset_ < text_.size() && !kIsPlain[static_cast<uint8_t>(text_[offset_])]) {
    const size_t space = SpaceAt(offset_);
    if (space == 0) return;
    offset_ += space;
  }
}

bool QueryLexer::IsBeforeColon() {
  PassSpace();
  return offset_ < text_.size() && text_[offset_] == ':';
}

QueryToken QueryLexer::Punctuation(QueryTokenKind kind) {
  QueryToken token;
  token.kind = kind;
  token.begin = offset_;
  token.end = ++offset_;
  token.text = text_.substr(token.begin, 1);
  return token;
}

QueryToken QueryLexer::Operator(char c) {
  if (SpaceAt(offset_ + 1) != 0) return Punctuation(QueryTokenKind::kBareOperator);
  return Punctuation(c == '+'   ? QueryTokenKind::kPlus
                     : c == '-' ? QueryTokenKind::kMinus
                                : QueryTokenKind::kNot);
}

QueryToken QueryLexer::Tilde() {
  QueryToken token = Punctuation(QueryTokenKind::kTilde);
  while (offset_ < text_.size() && SpaceAt(offset_) == 0 && MayContinueWord(text_[offset_])) {
    ++offset_;
  }
  token.text = text_.substr(token.end, offset_ - token.end);
  token.end = offset_;
  return token;
}

absl::StatusOr<QueryToken> QueryLexer::Next() {
  PassSpace();
  if (offset_ == text_.size()) {
    QueryToken end;
    end.begin = end.end = offset_;
    return end;
  }
  switch (const char c = text_[offset_]; c) {
    case '+':
    case '-':
    case '!':
      return Operator(c);
    case '(':
      return Punctuation(QueryTokenKind::kLeftParen);
    case ')':
      return Punctuation(QueryTokenKind::kRightParen);
    case ':':
      return Punctuation(QueryTokenKind::kColon);
    case '~':
      return Tilde();
    case '^':
      return Boost();
    case '"':
      return Quoted();
    case '/':
      return Regexp();
    case '[':
    case '{':
      return Range();
    case ']':
    case '}':
      return QueryError(text_, offset_, "a closing bracket without an opening one");
    default:
      return Word();
  }
}

absl::StatusOr<QueryToken> QueryLexer::NextValue() {
  PassSpace();
  if (offset_ == text_.size()) return Next();
  const char c = text_[offset_];
  if (c == '<' || c == '>') return Comparison();
  const bool has_sign = (c == '-' || c == '+') && offset_ + 1 < text_.size();
  if (has_sign && (IsDigit(text_[offset_ + 1]) || text_[offset_ + 1] == '.')) return Word();
  return Next();
}

// A bound as written: a quoted text, or all up to a space or one of these characters.
absl::StatusOr<std::string_view> QueryLexer::Bound(std::string_view ends) {
  const size_t begin = offset_;
  if (begin < text_.size() && text_[begin] == '"') {
    PMDEX_RETURN_IF_ERROR(Quoted().status());
  } else {
    while (true) {
      offset_ = PassPlain(text_, offset_);
      if (offset_ == text_.size() || SpaceAt(offset_) != 0) break;
      if (ends.find(text_[offset_]) != std::string_view::npos) break;
      if (text_[offset_] == '\\') {
        PMDEX_RETURN_IF_ERROR(PassEscape());
      } else {
        ++offset_;
      }
    }
  }
  if (offset_ == begin) return QueryError(text_, begin, "a bound is missing");
  return text_.substr(begin, offset_ - begin);
}

absl::StatusOr<QueryToken> QueryLexer::Range() {
  constexpr std::string_view kHowTo =
      "a range is written [a TO b] (escape the bracket with a backslash if it belongs to a word)";
  QueryToken token = Punctuation(QueryTokenKind::kRange);
  token.low_inclusive = token.text == "[";
  PassSpace();
  PMDEX_ASSIGN_OR_RETURN(token.low, Bound("]}"));
  PassSpace();
  if (text_.substr(offset_, 2) != "TO" || SpaceAt(offset_ + 2) == 0) {
    return QueryError(text_, offset_, kHowTo);
  }
  offset_ += 2;
  PassSpace();
  PMDEX_ASSIGN_OR_RETURN(token.high, Bound("]}"));
  PassSpace();
  if (offset_ == text_.size() || (text_[offset_] != ']' && text_[offset_] != '}')) {
    return QueryError(text_, offset_ == text_.size() ? token.begin : offset_, kHowTo);
  }
  token.high_inclusive = text_[offset_] == ']';
  token.end = ++offset_;
  return token;
}

absl::StatusOr<QueryToken> QueryLexer::Comparison() {
  QueryToken token = Punctuation(QueryTokenKind::kComparison);
  if (offset_ < text_.size() && text_[offset_] == '=') ++offset_;
  token.text = text_.substr(token.begin, offset_ - token.begin);
  PMDEX_ASSIGN_OR_RETURN(token.low, Bound(")^"));
  token.end = offset_;
  return token;
}

absl::StatusOr<QueryToken> QueryLexer::Quoted() {
  QueryToken token = Punctuation(QueryTokenKind::kQuoted);
  while (offset_ < text_.size() && text_[offset_] != '"') {
    if (text_[offset_] != '\\') {
      ++offset_;
    } else if (offset_ + 1 == text_.size()) {
      break;
    } else {
      PMDEX_RETURN_IF_ERROR(PassEscape());
    }
  }
  if (offset_ >= text_.size() || text_[offset_] != '"') {
    return QueryError(text_, token.begin, "the quotation mark is never closed");
  }
  token.text = text_.substr(token.end, offset_ - token.end);
  token.end = ++offset_;
  return token;
}

absl::StatusOr<QueryToken> QueryLexer::Boost() {
  QueryToken token = Punctuation(QueryTokenKind::kBoost);
  bool point = false;
  while (offset_ < text_.size() && (IsDigit(text_[offset_]) || (text_[offset_] == '.' && !point))) {
    point = point || text_[offset_] == '.';
    ++offset_;
  }
  token.text = text_.substr(token.end, offset_ - token.end);
  const bool attached = offset_ < text_.size() && SpaceAt(offset_) == 0 &&
                        (MayContinueWord(text_[offset_]) || text_[offset_] == '\\');
  const auto parsed = std::from_chars(token.text.data(), token.text.data() + token.text.size(),
                                      token.boost, std::chars_format::fixed);
  if (attached || parsed.ec != std::errc() || parsed.ptr != token.text.data() + token.text.size() ||
      !std::isfinite(token.boost)) {
    return QueryError(text_, token.begin, "a positive number must follow ^");
  }
  token.end = offset_;
  return token;
}

// Moves past the escape at offset_. Requires a backslash there.
absl::Status QueryLexer::PassEscape() {
  const size_t size_bytes = EscapeBytes(text_.substr(offset_));
  if (offset_ + 1 == text_.size()) {
    return QueryError(text_, offset_, "nothing follows the backslash");
  }
  if (size_bytes == 0) {
    return QueryError(text_, offset_,
                      "four hexadecimal digits must follow \\u, the number of a character (of a "
                      "pair of them beyond \\uFFFF)");
  }
  offset_ += size_bytes;
  return absl::OkStatus();
}

// The expression ends at the first slash without a backslash before it. If there is none, it ends
// at the last slash: that is the longest token that Lucene's grammar allows.
absl::StatusOr<QueryToken> QueryLexer::Regexp() {
  QueryToken token = Punctuation(QueryTokenKind::kRegexp);
  size_t close = 0;
  for (size_t at = token.end; at < text_.size(); ++at) {
    if (text_[at] != '/') continue;
    close = at;
    if (text_[at - 1] != '\\') break;
  }
  if (close == 0) {
    return QueryError(text_, token.begin,
                      "the regular expression is never closed (escape a slash that belongs to a "
                      "word with a backslash, or quote the word)");
  }
  token.text = text_.substr(token.end, close - token.end);
  token.end = offset_ = close + 1;
  return token;
}

absl::StatusOr<QueryToken> QueryLexer::Word() {
  QueryToken token;
  token.kind = QueryTokenKind::kWord;
  token.begin = offset_;
  while (true) {
    offset_ = PassPlain(text_, offset_);
    if (offset_ == text_.size() || SpaceAt(offset_) != 0) break;
    const char c = text_[offset_];
    if (c == '\\') {
      PMDEX_RETURN_IF_ERROR(PassEscape());
    } else if (c == '*' || c == '?') {
      ++token.wildcards;
      ++offset_;
    } else if (MayContinueWord(c)) {
      ++offset_;
    } else {
      break;
    }
  }
  token.end = offset_;
  token.text = text_.substr(token.begin, token.end - token.begin);
  if (token.text == "AND" || token.text == "&&") token.kind = QueryTokenKind::kAnd;
  if (token.text == "OR" || token.text == "||") token.kind = QueryTokenKind::kOr;
  if (token.text == "NOT") token.kind = QueryTokenKind::kNot;
  return token;
}

}  // namespace pmdex
