// The definitions of the reference that need no documents: of sloppy phrases, fuzzy words and
// wildcards.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/analysis/code_points.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace {

bool MatchCharacters(const std::vector<uint32_t>& pattern, size_t p,
                     const std::vector<uint32_t>& term, size_t t) {
  if (p == pattern.size()) return t == term.size();
  if (pattern[p] == '*') {
    for (size_t next = t; next <= term.size(); ++next) {
      if (MatchCharacters(pattern, p + 1, term, next)) return true;
    }
    return false;
  }
  if (t == term.size()) return false;
  if (pattern[p] == '?') return MatchCharacters(pattern, p + 1, term, t + 1);
  if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
  return pattern[p] == term[t] && MatchCharacters(pattern, p + 1, term, t + 1);
}

}  // namespace

std::vector<uint32_t> ReferenceIndex::Characters(std::string_view text) {
  std::vector<uint32_t> characters;
  DecodeCodePoints(text, characters);
  return characters;
}

// The steps of the definition over a plain list of phrase words, sorted anew for every choice.
double ReferenceIndex::SloppyFrequency(const std::vector<std::string>& terms,
                                       const std::vector<uint32_t>& offsets, uint32_t slop,
                                       const std::vector<std::vector<uint32_t>>& positions,
                                       const std::set<std::string>& last) {
  const size_t n = terms.size();
  std::vector<size_t> at(n);
  // With several last terms: whether phrase word i belongs to those that share one with the last.
  const auto is_with_last = [&](size_t i) { return i + 1 == n || last.count(terms[i]) != 0; };
  size_t with_last = 0;
  for (size_t i = 0; i < n && !last.empty(); ++i) with_last += is_with_last(i) ? 1 : 0;
  const auto shares = [&](size_t i, size_t j) {
    if (!last.empty() && (is_with_last(i) || is_with_last(j))) {
      return is_with_last(i) && is_with_last(j);
    }
    return terms[i] == terms[j];
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n && with_last < 2; ++j) {
      if (shares(i, j) && std::tie(offsets[j], j) < std::tie(offsets[i], i)) ++at[i];
    }
    if (at[i] >= positions[i].size()) return 0;
  }
  const auto place = [&](size_t i) { return static_cast<int64_t>(positions[i][at[i]]); };
  const auto adjusted = [&](size_t i) { return place(i) - static_cast<int64_t>(offsets[i]); };
  const auto order = [&](size_t i) { return std::tuple(adjusted(i), offsets[i], i); };
  const auto greatest = [&] {
    int64_t value = adjusted(0);
    for (size_t i = 1; i < n; ++i) value = std::max(value, adjusted(i));
    return value;
  };
  // Moves phrase word i, then whoever has to give way; false when somebody has nowhere to go.
  const auto move = [&](size_t i) {
    for (std::optional<size_t> mover = i; mover.has_value();) {
      const size_t moved = *mover;
      if (++at[moved] == positions[moved].size()) return false;
      mover.reset();
      std::vector<size_t> rivals;
      for (size_t j = 0; j < n; ++j) {
        if (j != moved && shares(j, moved) && place(j) == place(moved)) rivals.push_back(j);
      }
      if (rivals.empty()) break;
      const size_t rival = *std::min_element(rivals.begin(), rivals.end(), [&](size_t a, size_t b) {
        return offsets[a] < offsets[b];
      });
      mover =
          std::pair(adjusted(moved), offsets[moved]) < std::pair(adjusted(rival), offsets[rival])
              ? moved
              : rival;
    }
    return true;
  };
  for (size_t i = 0; i < n && with_last > 1;) {  // the offsets ascend
    size_t rival = 0;
    while (rival < n && (rival == i || !shares(i, rival) || place(i) != place(rival))) ++rival;
    if (rival == n) {
      ++i;
      continue;
    }
    const bool mine =
        std::pair(adjusted(i), offsets[i]) < std::pair(adjusted(rival), offsets[rival]);
    const size_t lesser = mine ? i : rival;
    if (++at[lesser] == positions[lesser].size()) return 0;
  }
  double frequency = 0;
  for (bool exhausted = false; !exhausted;) {
    std::vector<size_t> words(n);
    for (size_t i = 0; i < n; ++i) words[i] = i;
    std::sort(words.begin(), words.end(), [&](size_t a, size_t b) { return order(a) < order(b); });
    const size_t least = words[0];
    const int64_t next = adjusted(words[1]);
    int64_t length = greatest() - adjusted(least);
    while (true) {
      if (!move(least)) {
        exhausted = true;
        break;
      }
      if (adjusted(least) > next) break;
      length = std::min(length, greatest() - adjusted(least));
    }
    if (length <= static_cast<int64_t>(slop))
      frequency += 1.0 / (1.0 + static_cast<double>(length));
  }
  return frequency;
}

uint32_t ReferenceIndex::EditDistance(std::string_view a, std::string_view b) {
  const std::vector<uint32_t> x = Characters(a);
  const std::vector<uint32_t> y = Characters(b);
  std::vector<std::vector<uint32_t>> d(x.size() + 1, std::vector<uint32_t>(y.size() + 1));
  for (uint32_t i = 0; i <= x.size(); ++i) d[i][0] = i;
  for (uint32_t j = 0; j <= y.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= x.size(); ++i) {
    for (size_t j = 1; j <= y.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[x.size()][y.size()];
}

bool ReferenceIndex::WildcardMatches(std::string_view pattern, std::string_view term) {
  return MatchCharacters(Characters(pattern), 0, Characters(term), 0);
}

}  // namespace pmdex
