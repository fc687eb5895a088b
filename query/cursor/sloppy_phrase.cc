#include "query/cursor/sloppy_phrase.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace pmdex {

SloppyPhraseMatcher::SloppyPhraseMatcher(std::span<const std::string> terms,
                                         std::span<const uint32_t> offsets, uint32_t slop)
    : words_(terms.size()), slop_(slop) {
  std::map<std::string_view, size_t> group_of;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [entry, is_new] = group_of.try_emplace(terms[i], groups_.size());
    if (is_new) groups_.emplace_back();
    words_[i].offset = offsets[i];
    words_[i].group = entry->second;
    groups_[entry->second].push_back(i);
  }
  SortGroups();
}

SloppyPhraseMatcher::SloppyPhraseMatcher(std::span<const std::string> terms,
                                         std::span<const std::string> last,
                                         std::span<const uint32_t> offsets, uint32_t slop)
    : SloppyPhraseMatcher(terms, offsets.first(terms.size()), slop) {
  std::vector<size_t> group = {words_.size()};
  for (const std::string& term : last) {
    const auto word = std::find(terms.begin(), terms.end(), term);
    if (word == terms.end()) continue;
    std::vector<size_t>& others = groups_[words_[static_cast<size_t>(word - terms.begin())].group];
    group.insert(group.end(), others.begin(), others.end());
    others.clear();
  }
  words_.emplace_back().offset = offsets.back();
  shares_last_ = group.size() > 1;
  for (const size_t word : group) words_[word].group = groups_.size();
  groups_.push_back(std::move(group));
  SortGroups();
}

void SloppyPhraseMatcher::SortGroups() {
  for (std::vector<size_t>& group : groups_) {
    std::stable_sort(group.begin(), group.end(),
                     [this](size_t a, size_t b) { return words_[a].offset < words_[b].offset; });
  }
}

bool SloppyPhraseMatcher::Start(std::span<const std::vector<uint32_t>> positions) {
  end_ = std::numeric_limits<int64_t>::min();
  if (shares_last_) return StartApart(positions);
  for (const std::vector<size_t>& group : groups_) {
    for (size_t j = 0; j < group.size(); ++j) {
      Word& word = words_[group[j]];
      word.occurrences = &positions[group[j]];
      if (j >= word.occurrences->size()) return false;
      word.at = j;
      word.adjusted = int64_t{(*word.occurrences)[j]} - word.offset;
      word.out = false;
      end_ = std::max(end_, word.adjusted);
    }
  }
  return true;
}

bool SloppyPhraseMatcher::Move(Word& word) {
  if (++word.at >= word.occurrences->size()) return false;
  word.adjusted = int64_t{(*word.occurrences)[word.at]} - word.offset;
  end_ = std::max(end_, word.adjusted);
  return true;
}

// Step 1 for a last word that shares its terms.
bool SloppyPhraseMatcher::StartApart(std::span<const std::vector<uint32_t>> positions) {
  for (size_t i = 0; i < words_.size(); ++i) {
    if (positions[i].empty()) return false;
    words_[i].occurrences = &positions[i];
    words_[i].at = 0;
    words_[i].adjusted = int64_t{positions[i][0]} - words_[i].offset;
    words_[i].out = false;
    end_ = std::max(end_, words_[i].adjusted);
  }
  for (const std::vector<size_t>& group : groups_) {
    for (size_t i = 0; group.size() > 1 && i < group.size(); ++i) {
      while (const std::optional<size_t> other = Collide(group[i])) {
        if (!Move(words_[Lesser(group[i], *other)])) return false;
      }
    }
  }
  return true;
}

// The first word by offset, of those that share the word's term, that stands on the same position.
std::optional<size_t> SloppyPhraseMatcher::Collide(size_t index) const {
  const Word& word = words_[index];
  for (const size_t other : groups_[word.group]) {
    if (other != index &&
        words_[other].adjusted + words_[other].offset == word.adjusted + word.offset) {
      return other;
    }
  }
  return std::nullopt;
}

size_t SloppyPhraseMatcher::Lesser(size_t a, size_t b) const {
  const Word& x = words_[a];
  const Word& y = words_[b];
  return x.adjusted < y.adjusted || (x.adjusted == y.adjusted && x.offset < y.offset) ? a : b;
}

// Does step 3 after its first move. Returns false if a word has no further occurrence.
bool SloppyPhraseMatcher::MoveApart(size_t index) {
  if (groups_[words_[index].group].size() == 1) return true;
  while (const std::optional<size_t> other = Collide(index)) {
    index = Lesser(index, *other);
    if (!Move(words_[index])) return false;
  }
  return true;
}

bool SloppyPhraseMatcher::IsLess(size_t a, size_t b) const {
  const Word& x = words_[a];
  const Word& y = words_[b];
  if (x.adjusted != y.adjusted) return x.adjusted < y.adjusted;
  return x.offset != y.offset ? x.offset < y.offset : a < b;
}

// The least word of those that are not taken out; words_.size() if all are.
size_t SloppyPhraseMatcher::Least() const {
  size_t least = words_.size();
  for (size_t i = 0; i < words_.size(); ++i) {
    if (!words_[i].out && (least == words_.size() || IsLess(i, least))) least = i;
  }
  return least;
}

float SloppyPhraseMatcher::Frequency(std::span<const std::vector<uint32_t>> positions) {
  if (words_.size() < 2 || !Start(positions)) return 0;
  float frequency = 0;
  const auto count = [&](int64_t length) {
    if (length <= slop_) frequency += 1.0f / (1.0f + static_cast<float>(length));
  };
  while (true) {
    const size_t taken = Least();
    Word& word = words_[taken];
    word.out = true;
    int64_t length = end_ - word.adjusted;
    const int64_t next = words_[Least()].adjusted;
    while (true) {
      if (!Move(word) || !MoveApart(taken)) {
        count(length);
        return frequency;
      }
      if (word.adjusted > next) break;
      length = std::min(length, end_ - word.adjusted);
    }
    count(length);
    word.out = false;
  }
}

}  // namespace pmdex
