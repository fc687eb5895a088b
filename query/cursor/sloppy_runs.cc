#include "query/cursor/sloppy_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pmdex {
namespace {

// The first position >= target in [at, end). Doubles its steps, as the target is mostly near.
const uint16_t* FirstPositionFrom(const uint16_t* at, const uint16_t* end, int64_t target) {
  constexpr int kSteps = 4;  // one by one, which costs less than a search where the target is near
  for (int i = 0; i < kSteps; ++i, ++at) {
    if (at == end || *at >= target) return at;
  }
  ptrdiff_t step = 1;
  while (end - at > step && at[step] < target) {
    at += step;
    step *= 2;
  }
  return std::lower_bound(at, at + std::min(step + 1, end - at), target,
                          [](uint16_t position, int64_t other) { return position < other; });
}

// At least 1 + 1/2 + ... + 1/count, in a time that does not grow with the count. Little more.
double HarmonicBound(int64_t count) {
  constexpr int64_t kAdded = 64;
  double sum = 0;
  for (int64_t i = 1; i <= std::min(count, kAdded); ++i) sum += 1.0 / static_cast<double>(i);
  if (count <= kAdded) return sum;
  // The sum of 1/i from a + 1 to b is less than the integral of 1/x from a to b.
  return sum + std::log(static_cast<double>(count) / static_cast<double>(kAdded));
}

}  // namespace

SloppyRuns::SloppyRuns(std::span<const uint32_t> offsets, uint32_t slop)
    : words_(offsets.size()), targets_(offsets.size()), slop_(slop) {
  for (size_t i = 0; i < offsets.size(); ++i) words_[i].offset = offsets[i];
  // No match is longer than the positions and the offsets reach.
  const uint32_t greatest = *std::max_element(offsets.begin(), offsets.end());
  slop_ = std::min(slop_, int64_t{std::numeric_limits<uint16_t>::max()} + greatest);
}

// The least word by (adjusted position, offset, index), and the adjusted position of the next one.
template <size_t kWords>
SloppyRuns::LeastWord SloppyRuns::LeastOf(std::span<const Word, kWords> words) {
  LeastWord least{0, std::numeric_limits<int64_t>::max()};
  for (size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    const Word& other = words[least.index];
    const bool is_less = word.adjusted != other.adjusted ? word.adjusted < other.adjusted
                                                         : word.offset < other.offset;
    least.next = is_less ? other.adjusted : std::min(least.next, word.adjusted);
    least.index = is_less ? i : least.index;
  }
  return least;
}

// Moves every word that stands before `far` to its last occurrence before it. The steps of the
// definition lead there too, or past it in the same way: a word passes `far` only when no other
// word stands before its own last occurrence there. Then the words pass one after the other, in the
// order of these occurrences, and only the last to pass is compared with words behind `far`. Which
// word is the last depends on the steps before if two are equal, so that nothing is moved then.
template <size_t kWords>
void SloppyRuns::MoveBehindTo(int64_t far, std::span<Word, kWords> words) {
  int64_t greatest = std::numeric_limits<int64_t>::min();
  bool is_tie = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    targets_[i] = word.at;
    if (word.adjusted >= far) continue;
    targets_[i] = FirstPositionFrom(word.at, word.end, far + word.offset);
    if (targets_[i] != word.at) --targets_[i];
    const int64_t last = int64_t{*targets_[i]} - word.offset;
    is_tie = last == greatest || (is_tie && last < greatest);
    greatest = std::max(greatest, last);
  }
  if (is_tie) return;
  for (size_t i = 0; i < words.size(); ++i) Stand(words[i], targets_[i]);
}

// Each match has an occurrence of every word, and its least word moves on after it. As long as one
// word stays on an occurrence, the least word of a match is at most `slop` before it, and closer in
// every further match with the same least word: together these add at most 1 + 1/2 + ... +
// 1/(1 + slop) for each of the other words. One match, which adds at most 1, ends with a move of
// the word itself. The sum of so many floats may be a little too great.
float SloppyRuns::FrequencyBound(float word_frequency) const {
  const auto others = static_cast<double>(words_.size() - 1);
  const double of_word = HarmonicBound(1 + slop_);
  const double matches = word_frequency * (1 + others * (1 + static_cast<double>(slop_)));
  const double rounding = 1 + 1e-6 + 6e-8 * matches;
  return static_cast<float>(word_frequency * (1 + others * of_word) * rounding);
}

void SloppyRuns::Start(std::span<const PositionRun> runs) {
  for (size_t i = 0; i < words_.size(); ++i) {
    words_[i].end = runs[i].data() + runs[i].size();
    Stand(words_[i], runs[i].data());
  }
}

// The frequency; with until_first any value above 0 if it is above 0.
float SloppyRuns::Walk(std::span<const PositionRun> runs, bool until_first) {
  Start(runs);
  switch (words_.size()) {  // most phrases are short, and loops over a fixed number cost less
    case 2:
      return WalkFrom(std::span<Word, 2>(words_), until_first);
    case 3:
      return WalkFrom(std::span<Word, 3>(words_), until_first);
    default:
      return WalkFrom(std::span(words_), until_first);
  }
}

template <size_t kWords>
float SloppyRuns::WalkFrom(std::span<Word, kWords> words, bool until_first) {
  int64_t end = std::numeric_limits<int64_t>::min();
  for (const Word& word : words) end = std::max(end, word.adjusted);
  float frequency = 0;
  int64_t moved_to = std::numeric_limits<int64_t>::min();
  while (true) {
    // A word before this place is too far from the word at the end for a match.
    const int64_t far = end - slop_;
    LeastWord least = LeastOf<kWords>(words);
    if (words[least.index].adjusted < far && moved_to < far) {
      MoveBehindTo<kWords>(far, words);
      moved_to = far;
      least = LeastOf<kWords>(words);
    }
    Word& word = words[least.index];
    const uint16_t* at = word.at;
    while (++at != word.end && int64_t{*at} - word.offset <= least.next) {
    }
    const int64_t length = end - (int64_t{at[-1]} - word.offset);
    if (length <= slop_) frequency += 1.0f / (1.0f + static_cast<float>(length));
    if (at == word.end || (until_first && frequency > 0)) return frequency;
    Stand(word, at);
    end = std::max(end, word.adjusted);
  }
}

// Whether the position of the word is in a match. That is so if there is a place such that every
// word has an adjusted position from it to `slop` behind it, among which is that of `word`.
// Requires a slop below 32, and words that do not stand behind the first place.
bool SloppyRuns::HasMatchOf(const Word& of_match, uint16_t position) {
  const int64_t first = int64_t{position} - of_match.offset - slop_;
  uint64_t places = (uint64_t{2} << slop_) - 1;  // bit i: from first + i on
  for (Word& word : words_) {
    word.at = FirstPositionFrom(word.at, word.end, first + word.offset);
    uint64_t occurrences = 0;  // bit i: at first + i
    for (const uint16_t* at = word.at; at != word.end; ++at) {
      const int64_t behind = int64_t{*at} - word.offset - first;
      if (behind > 2 * slop_ || behind < 0) break;
      occurrences |= uint64_t{1} << behind;
    }
    uint64_t reached = 0;
    for (int64_t i = 0; i <= slop_; ++i) reached |= occurrences >> i;
    places &= reached;
  }
  return places != 0;
}

bool SloppyRuns::Matches(std::span<const PositionRun> runs, const NearPositions& near) {
  constexpr int64_t kMostSlop = 31;
  if (slop_ > kMostSlop) return Matches(runs);
  Start(runs);
  return std::any_of(near.positions.begin(), near.positions.end(),
                     [&](uint16_t position) { return HasMatchOf(words_[near.word], position); });
}

}  // namespace pmdex
