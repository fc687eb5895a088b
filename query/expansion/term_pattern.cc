#include "query/expansion/term_pattern.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/analysis/code_points.h"

namespace pmdex {

WildcardPattern::WildcardPattern(std::string_view pattern) {
  while (!pattern.empty()) {
    auto kind = Piece::Kind::kLiteral;
    if (pattern[0] == '*') kind = Piece::Kind::kAny;
    if (pattern[0] == '?') kind = Piece::Kind::kOne;
    if (pattern[0] == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
    const size_t size = CodePointBytes(pattern);
    Append(kind, pattern.substr(0, size));
    pattern.remove_prefix(size);
  }
  if (!pieces_.empty()) literal_prefix_ = pieces_[0].literal;
}

// A byte of ASCII in a term is always a character of its own. Another byte of a literal may be a
// part of one.
std::string WildcardPattern::RequiredCharacters() const {
  std::string required;
  for (const Piece& piece : pieces_) {
    std::copy_if(piece.literal.begin(), piece.literal.end(), std::back_inserter(required),
                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }
  return required;
}

void WildcardPattern::Append(Piece::Kind kind, std::string_view character) {
  if (pieces_.empty() || kind != Piece::Kind::kLiteral || pieces_.back().kind != kind) {
    const uint32_t first = DecodeCodePoint(character, character.size());
    pieces_.push_back({kind, {}, kind == Piece::Kind::kLiteral && !IsStrayByte(first)});
  }
  if (kind == Piece::Kind::kLiteral) pieces_.back().literal += character;
}

// The first offset >= from at which the pieces after a `*` may match; npos if there is none.
size_t WildcardPattern::FindAfterStar(size_t star_piece, std::string_view term, size_t from) const {
  const size_t piece = star_piece + 1;
  if (piece == pieces_.size() || !pieces_[piece].is_searchable) return from;
  return term.find(pieces_[piece].literal, from);
}

// Greedy matching that only ever backtracks to the last `*`: once a later `*` is reached, an
// earlier one never has to match more characters.
bool WildcardPattern::Matches(std::string_view term) const {
  // A quick test first: most terms end differently.
  if (!pieces_.empty() && !term.ends_with(pieces_.back().literal)) return false;
  size_t piece = 0;
  size_t at = 0;
  size_t star_piece = pieces_.size();  // none yet
  size_t star_at = 0;
  while (at < term.size()) {
    const std::string_view rest = term.substr(at);
    if (piece < pieces_.size() && pieces_[piece].kind == Piece::Kind::kAny) {
      star_piece = piece++;
      star_at = at = FindAfterStar(star_piece, term, at);
    } else if (piece < pieces_.size() && pieces_[piece].kind == Piece::Kind::kOne) {
      at += CodePointBytes(rest);
      ++piece;
    } else if (piece < pieces_.size() && rest.starts_with(pieces_[piece].literal)) {
      at += pieces_[piece++].literal.size();
    } else if (star_piece < pieces_.size()) {
      star_at += CodePointBytes(term.substr(star_at));
      star_at = at = FindAfterStar(star_piece, term, star_at);
      piece = star_piece + 1;
    } else {
      return false;
    }
    if (at == std::string_view::npos) return false;
  }
  while (piece < pieces_.size() && pieces_[piece].kind == Piece::Kind::kAny) ++piece;
  return piece == pieces_.size();
}

FuzzyPattern::FuzzyPattern(std::string_view text, uint32_t edits) : edits_(edits) {
  DecodeCodePoints(text, text_);
}

// Fills the alignment table row by row, but only within `edits` of the diagonal; all other elements
// count as edits + 1.
std::optional<uint32_t> FuzzyPattern::Distance(std::string_view term) {
  // A character has one to four bytes, so that most terms are refused without decoding them.
  if (term.size() + edits_ < text_.size() || term.size() > 4 * (text_.size() + edits_)) return {};
  DecodeCodePoints(term, term_);
  const size_t rows = text_.size();
  const size_t columns = term_.size();
  if (std::max(rows, columns) - std::min(rows, columns) > edits_) return {};
  const uint32_t far = edits_ + 1;
  before_.assign(columns + 1, far);
  last_.assign(columns + 1, far);
  row_.assign(columns + 1, far);
  for (uint32_t j = 0; j <= std::min<size_t>(columns, edits_); ++j) last_[j] = j;
  for (size_t i = 1; i <= rows; ++i) {
    std::fill(row_.begin(), row_.end(), far);
    if (i <= edits_) row_[0] = static_cast<uint32_t>(i);
    const size_t first = i > edits_ ? i - edits_ : 1;
    const size_t end = std::min<size_t>(columns, i + edits_);
    uint32_t best = row_[0];
    for (size_t j = first; j <= end; ++j) {
      uint32_t value = last_[j - 1] + (text_[i - 1] == term_[j - 1] ? 0 : 1);
      value = std::min({value, last_[j] + 1, row_[j - 1] + 1});
      if (i > 1 && j > 1 && text_[i - 1] == term_[j - 2] && text_[i - 2] == term_[j - 1]) {
        value = std::min(value, before_[j - 2] + 1);
      }
      row_[j] = std::min(value, far);
      best = std::min(best, row_[j]);
    }
    if (best > edits_) return {};
    std::swap(before_, last_);
    std::swap(last_, row_);
  }
  if (last_[columns] > edits_) return {};
  return last_[columns];
}

float FuzzyPattern::Similarity(std::string_view term, uint32_t distance) const {
  if (distance == 0) return 1.0f;
  const size_t shorter = std::max<size_t>(1, std::min(CountCodePoints(term), text_.size()));
  return 1.0f - static_cast<float>(distance) / static_cast<float>(shorter);
}

}  // namespace pmdex
