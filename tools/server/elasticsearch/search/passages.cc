#include "tools/server/elasticsearch/search/passages.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace pmdex {
namespace {

bool IsSpace(uint32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x2028 ||
         c == 0x2029;
}
bool IsWordCharacter(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (c >= 0x80 && !IsSpace(c));
}

// True if a sentence begins at `at`.
bool IsSentenceBorder(std::span<const uint32_t> text, size_t at) {
  if (at == 0 || at >= text.size()) return true;
  if (text[at - 1] == '\n' || text[at - 1] == 0x2029) return true;
  if (!IsSpace(text[at - 1]) || IsSpace(text[at])) return false;
  size_t end = at;
  while (end > 0 && IsSpace(text[end - 1])) --end;
  while (end > 0 && (text[end - 1] == '"' || text[end - 1] == '\'' || text[end - 1] == ')')) --end;
  if (end == 0) return false;
  if (text[end - 1] == '?' || text[end - 1] == '!') return true;
  return text[end - 1] == '.' && !(text[at] >= 'a' && text[at] <= 'z');
}

bool IsWordBorder(std::span<const uint32_t> text, size_t at) {
  if (at == 0 || at >= text.size()) return true;
  return !(IsWordCharacter(text[at - 1]) && IsWordCharacter(text[at]));
}

using IsBorder = bool (*)(std::span<const uint32_t>, size_t);

// The last border before `at`; 0 if there is none.
size_t Preceding(std::span<const uint32_t> text, IsBorder is_border, size_t at) {
  size_t border = std::min(at, text.size() + 1);
  while (border > 0 && !is_border(text, --border)) {
  }
  return border;
}

// The first border behind `at`; the end of the text if there is none.
size_t Following(std::span<const uint32_t> text, IsBorder is_border, size_t at) {
  size_t border = at + 1;
  while (border < text.size() && !is_border(text, border)) ++border;
  return std::min(border, text.size());
}

// Finds the passage of one match after the other, as Elasticsearch's bounded sentence scanner does.
class SentenceScanner {
 public:
  // size: 0: each passage is a sentence.
  SentenceScanner(std::span<const uint32_t> text, size_t size) : text_(text), size_(size) {}

  // The passage of a match that begins at `match`, which is behind the passage before.
  std::pair<size_t, size_t> PassageAt(size_t match) {
    const size_t offset = match + 1;
    if (size_ == 0) {
      return {Preceding(text_, IsSentenceBorder, offset),
              Following(text_, IsSentenceBorder, match)};
    }
    if (offset > window_begin_ && offset < window_end_) {
      inner_begin_ = inner_end_;
      inner_end_ = window_end_;
    } else {
      JoinSentences(offset);
    }
    if (inner_end_ - inner_begin_ > size_) CutSentence(offset);
    return {inner_begin_, std::max(match + 1, inner_end_)};
  }

 private:
  void JoinSentences(size_t offset) {
    window_begin_ = inner_begin_ = Preceding(text_, IsSentenceBorder, offset);
    window_end_ = inner_end_ = Following(text_, IsSentenceBorder, offset - 1);
    while (inner_end_ - inner_begin_ < size_ && inner_end_ < text_.size()) {
      const size_t end = Following(text_, IsSentenceBorder, inner_end_);
      if (end - inner_begin_ > size_) break;
      window_end_ = inner_end_ = end;
    }
  }
  void CutSentence(size_t offset) {
    if (offset > inner_begin_ + size_) {
      inner_begin_ = std::max(inner_begin_, Preceding(text_, IsWordBorder, offset - size_));
    }
    const size_t before = offset - std::min(offset, inner_begin_);
    const size_t remaining = size_ > before ? size_ - before : 0;
    if (offset + remaining < window_end_) {
      inner_end_ = Following(text_, IsWordBorder, offset + remaining);
    }
  }

  const std::span<const uint32_t> text_;
  const size_t size_;
  size_t window_begin_ = 0;
  size_t window_end_ = 0;
  size_t inner_begin_ = 0;
  size_t inner_end_ = 0;
};

// Lucene's PassageScorer.
constexpr float kK1 = 1.2f;
constexpr float kB = 0.75f;
constexpr float kPivot = 87;  // characters of an average passage

float ScoreOf(const Passage& passage, const PassageText& text,
              std::span<const uint32_t> frequencies) {
  std::map<uint32_t, uint32_t> in_passage;
  for (const PassageMatch& match : passage.matches) ++in_passage[match.word];
  const float length = static_cast<float>(passage.end - passage.begin);
  const float documents = 1 + static_cast<float>(text.all_length) / kPivot;
  const float norm = kK1 * ((1 - kB) + kB * (length / kPivot));
  float score = 0;
  for (const auto& [word, count] : in_passage) {
    const auto frequency = static_cast<float>(frequencies[word]);
    const auto tf = static_cast<float>(count);
    const float weight = (kK1 + 1) * std::log(1 + (documents + 0.5f) / (frequency + 0.5f));
    score += weight * (tf / (tf + norm));
  }
  const auto begin = static_cast<float>(text.offset + passage.begin);
  return score * (1 + 1 / std::log(kPivot + begin));
}

}  // namespace

std::vector<Passage> PassagesOf(const PassageText& text, std::span<const PassageMatch> matches,
                                std::span<const uint32_t> frequencies, std::optional<size_t> size) {
  std::vector<Passage> passages;
  SentenceScanner scanner(text.characters, size.value_or(0));
  size_t last_end = 0;
  for (const PassageMatch& match : matches) {
    if (passages.empty() || match.begin >= passages.back().end) {
      Passage& passage = passages.emplace_back();
      passage.end = text.characters.size();
      if (size.has_value()) {
        std::tie(passage.begin, passage.end) = scanner.PassageAt(match.begin);
      }
      passage.begin = std::max(passage.begin, last_end);
      last_end = passage.end;
    }
    passages.back().matches.push_back(match);
  }
  for (Passage& passage : passages) passage.score = ScoreOf(passage, text, frequencies);
  return passages;
}

size_t LeadEnd(std::span<const uint32_t> characters, size_t size) {
  if (size >= characters.size()) return characters.size();
  return Following(characters, IsWordBorder, size);
}

}  // namespace pmdex
