// How often a document has a phrase with slop whose words are all different, found in the positions
// where they lie in the segment. It gives what SloppyPhraseMatcher (sloppy_phrase.h) gives, to the
// bit, and in less time: no word collides with another one, and words that are too far behind for a
// match are moved on by a search instead of one occurrence at a time.
//
// For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/kernel/kernel_types.h"

namespace pmdex {

class SloppyRuns {
 public:
  // offsets: of the words in the phrase; at least two.
  SloppyRuns(std::span<const uint32_t> offsets, uint32_t slop);

  // The phrase frequency. runs[i]: the ascending positions of word i in the document; at least one.
  // Runs that do not ascend, as damage leaves them, give any frequency.
  float Frequency(std::span<const PositionRun> runs) { return Walk(runs, false); }
  // Whether the frequency is above 0. Costs less.
  bool Matches(std::span<const PositionRun> runs) { return Walk(runs, true) > 0; }

  // Those positions of a word that may be in a match, at least one: all that have a position of
  // each other word within the slop of the place that the phrase gives it.
  struct NearPositions {
    size_t word = 0;
    PositionRun positions;
  };
  // As Matches, for a caller that knows the near positions. Costs less.
  bool Matches(std::span<const PositionRun> runs, const NearPositions& near);

  // An upper bound of the frequency in a document that has one of the words so often.
  float FrequencyBound(float word_frequency) const;

 private:
  struct Word {
    int64_t offset = 0;
    const uint16_t* at = nullptr;   // the occurrence on which it stands
    const uint16_t* end = nullptr;  // of its run
    int64_t adjusted = 0;           // the position there, less the offset
  };

  void Stand(Word& word, const uint16_t* at) {
    word.at = at;
    word.adjusted = int64_t{*at} - word.offset;
  }
  void Start(std::span<const PositionRun> runs);
  float Walk(std::span<const PositionRun> runs, bool until_first);
  // kWords: how many words there are, or std::dynamic_extent.
  template <size_t kWords>
  float WalkFrom(std::span<Word, kWords> words, bool until_first);
  bool HasMatchOf(const Word& word, uint16_t position);
  struct LeastWord {
    size_t index = 0;
    int64_t next = 0;  // the adjusted position of the least of the others
  };
  template <size_t kWords>
  static LeastWord LeastOf(std::span<const Word, kWords> words);
  template <size_t kWords>
  void MoveBehindTo(int64_t far, std::span<Word, kWords> words);

  std::vector<Word> words_;
  std::vector<const uint16_t*> targets_;  // scratch
  int64_t slop_;
};

}  // namespace pmdex
