#include "tools/find/glob.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pmem/byte_search.h"

namespace pmdex {
namespace {

unsigned ByteOf(char c) {
  return static_cast<unsigned char>(c);
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Glob::Glob(std::string pattern, bool ignores_case)
    : pattern_(std::move(pattern)), ignores_case_(ignores_case) {
  if (!Compile()) pieces_.clear();
  Describe();
}

bool Glob::Compile() {
  pieces_.emplace_back();
  for (size_t i = 0; i < pattern_.size(); ++i) {
    switch (pattern_[i]) {
      case '*':
        pieces_.emplace_back();
        break;
      case '?':
        AddElement(std::bitset<256>().set());
        break;
      case '[':
        if (!CompileBracket(i)) return false;
        break;
      case '\\':
        if (++i == pattern_.size()) return false;
        [[fallthrough]];
      default:
        AddByte(pattern_[i]);
    }
  }
  return true;
}

// at: of the `[`; becomes that of the `]`. fnmatch says which bytes are meant.
bool Glob::CompileBracket(size_t& at) {
  size_t end = at + 1;
  if (end < pattern_.size() && (pattern_[end] == '!' || pattern_[end] == '^')) ++end;
  if (end < pattern_.size() && pattern_[end] == ']') return false;
  end = pattern_.find_first_of("[]\\", end);
  if (end == std::string::npos || pattern_[end] != ']') return false;
  const Glob bracket = [&] {
    Glob glob;
    glob.pattern_ = pattern_.substr(at, end + 1 - at);
    glob.ignores_case_ = ignores_case_;
    return glob;
  }();
  std::bitset<256> element;
  for (unsigned byte = 1; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    element[byte] = bracket.MatchesByFnmatch({&text, 1});
  }
  AddElement(element);
  at = end;
  return true;
}

void Glob::AddByte(char byte) {
  constexpr char kCaseBit = 0x20;
  Piece& piece = pieces_.back();
  std::bitset<256> element;
  element.set(ByteOf(byte));
  const bool has_two_cases = ignores_case_ && IsLetter(byte);
  if (has_two_cases) element.set(ByteOf(static_cast<char>(byte ^ kCaseBit)));
  piece.elements.push_back(element);
  if (has_two_cases) piece.is_literal = false;
  if (piece.is_literal) piece.literal += byte;
}

void Glob::AddElement(const std::bitset<256>& element) {
  pieces_.back().elements.push_back(element);
  pieces_.back().is_literal = false;
}

void Glob::Describe() {
  for (const Piece& piece : pieces_) least_size_ += piece.size();
  if (pieces_.empty()) return;
  prefix_ = pieces_[0].literal;
  is_literal_ = pieces_.size() == 1 && pieces_[0].is_literal;
  is_prefix_ = pieces_[0].is_literal && pieces_.size() > 1 && least_size_ == prefix_.size();
  for (size_t i = 1; i + 1 < pieces_.size(); ++i) {
    if (pieces_[i].is_literal && pieces_[i].size() > inner_.size()) inner_ = pieces_[i].literal;
  }
}

// Requires that the text has the bytes.
bool Glob::MatchesAt(const Piece& piece, std::string_view text, size_t at) {
  if (piece.is_literal) {
    const std::string& literal = piece.literal;
    if (literal.empty()) return true;
    if (text[at] != literal[0]) return false;  // most often, and without a call
    return std::memcmp(text.data() + at, literal.data(), literal.size()) == 0;
  }
  for (size_t i = 0; i < piece.elements.size(); ++i) {
    if (!piece.elements[i][ByteOf(text[at + i])]) return false;
  }
  return true;
}

size_t Glob::Find(const Piece& piece, std::string_view text, size_t from, size_t end) {
  if (piece.is_literal && piece.size() > 0) {
    return FindBytes(text.substr(0, end), piece.literal, from);
  }
  for (size_t at = from; at + piece.size() <= end; ++at) {
    if (MatchesAt(piece, text, at)) return at;
  }
  return std::string_view::npos;
}

// Each piece between two stars is taken as early as possible, which leaves most for those behind.
bool Glob::MatchesPieces(std::string_view text) const {
  if (text.size() < least_size_) return false;
  if (pieces_.size() == 1) return text.size() == least_size_ && MatchesAt(pieces_[0], text, 0);
  const size_t end = text.size() - pieces_.back().size();
  if (!MatchesAt(pieces_.front(), text, 0) || !MatchesAt(pieces_.back(), text, end)) return false;
  size_t at = pieces_.front().size();
  for (size_t i = 1; i + 1 < pieces_.size(); ++i) {
    at = Find(pieces_[i], text, at, end);
    if (at == std::string_view::npos) return false;
    at += pieces_[i].size();
  }
  return true;
}

bool Glob::MatchesByFnmatch(std::string_view text) const {
  const std::string whole(text);  // with a zero behind it
  return fnmatch(pattern_.c_str(), whole.c_str(), ignores_case_ ? FNM_CASEFOLD : 0) == 0;
}

bool Glob::Matches(std::string_view text) const {
  return pieces_.empty() ? MatchesByFnmatch(text) : MatchesPieces(text);
}

// Keywords lie one behind the other. So one search over all of them finds those that have a part.
void Glob::MatchKeywords(const KeywordRun& run, uint64_t first, size_t count,
                         uint64_t* holds) const {
  const auto mark = [holds](size_t i) { holds[i / 64] |= uint64_t{1} << (i % 64); };
  const auto begin = run.Find(first);
  const auto end = run.Find(first + count - 1);
  if (inner_.empty() || !begin.has_value() || !end.has_value()) {
    for (size_t i = 0; i < count; ++i) {
      const auto text = run.Find(first + i);
      if (text.has_value() && Matches(*text)) mark(i);
    }
    return;
  }
  const char* const base = begin->data();
  const std::string_view all(base, static_cast<size_t>(end->data() + end->size() - base));
  size_t at = FindBytes(all, inner_, 0);
  for (size_t i = 0; i < count && at != std::string_view::npos; ++i) {
    const auto text = run.Find(first + i);
    if (!text.has_value()) continue;
    const auto text_end = static_cast<size_t>(text->data() + text->size() - base);
    if (text_end <= at) continue;
    if (Matches(*text)) mark(i);
    at = FindBytes(all, inner_, text_end);
  }
}

}  // namespace pmdex
