#include "tools/server/elasticsearch/search/highlight_phrase.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace pmdex {
namespace {

// The tokens that are each word of the phrase, ascending.
using PlacesOfWords = std::vector<std::vector<size_t>>;

// Marks what stands at the offsets of the phrase.
void MarkInOrder(const HighlightPhrase& phrase, const std::vector<HighlightToken>& tokens,
                 const PlacesOfWords& places, std::vector<bool>& found) {
  const auto begin_of = [&](size_t word, size_t token) {
    return int64_t{tokens[token].position} - int64_t{phrase.offsets[word]};
  };
  for (const size_t first : places[0]) {
    const int64_t begin = begin_of(0, first);
    std::vector<size_t> match;
    for (size_t word = 0; word < places.size(); ++word) {
      const auto at =
          std::lower_bound(places[word].begin(), places[word].end(), begin,
                           [&](size_t token, int64_t to) { return begin_of(word, token) < to; });
      if (at == places[word].end() || begin_of(word, *at) != begin) break;
      match.push_back(*at);
    }
    if (match.size() < places.size()) continue;
    for (const size_t token : match) found[token] = true;
  }
}

// Goes through the windows with one place of each word, and always moves the first place on.
void MarkNear(const std::vector<HighlightToken>& tokens, const PlacesOfWords& places,
              int64_t allowed, std::vector<bool>& found) {
  const auto words = static_cast<int64_t>(places.size());
  std::vector<size_t> at(places.size());  // the place of each word in the window
  using PositionOfWord = std::pair<int64_t, size_t>;
  std::priority_queue<PositionOfWord, std::vector<PositionOfWord>, std::greater<>> window;
  int64_t end = 0;
  const auto enter = [&](size_t word) {
    const int64_t position = tokens[places[word][at[word]]].position;
    end = std::max(end, position + 1);
    window.emplace(position, word);
  };
  const auto mark = [&](size_t word) { found[places[word][at[word]]] = true; };
  for (size_t word = 0; word < places.size(); ++word) enter(word);
  bool last_matched = false;  // then all words but the one that moved are marked
  size_t moved = 0;
  while (true) {
    const bool matches = end - window.top().first - words <= allowed;
    if (matches && last_matched) mark(moved);
    if (matches && !last_matched) {
      for (size_t word = 0; word < places.size(); ++word) mark(word);
    }
    last_matched = matches;
    moved = window.top().second;
    window.pop();
    if (++at[moved] == places[moved].size()) return;
    enter(moved);
  }
}

}  // namespace

bool HighlightPhrase::HasWord(size_t word, const std::string& term) const {
  const bool as_prefix = last_is_prefix && word + 1 == terms.size();
  return as_prefix ? term.starts_with(terms[word]) : term == terms[word];
}

void MarkPhrase(const HighlightPhrase& phrase, const std::vector<HighlightToken>& tokens,
                std::vector<bool>& found) {
  PlacesOfWords places(phrase.terms.size());
  for (size_t word = 0; word < places.size(); ++word) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (phrase.HasWord(word, tokens[i].term)) places[word].push_back(i);
    }
    if (places[word].empty()) return;
  }
  if (places.empty()) return;
  if (phrase.slop == 0) return MarkInOrder(phrase, tokens, places, found);
  const int64_t gaps = int64_t{phrase.offsets.back()} + 1 - static_cast<int64_t>(places.size());
  MarkNear(tokens, places, phrase.slop + std::max<int64_t>(gaps, 0), found);
}

}  // namespace pmdex
