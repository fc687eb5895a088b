// How often a phrase occurs in a document when its terms may be moved: the phrase frequency of
// "a b"~slop, as Lucene's SloppyPhraseMatcher counts it.
//
// Definition. A phrase has words; word i has a term and an offset o_i. A word that stands on the
// occurrence at position p has the adjusted position p - o_i. Words are ordered by (adjusted
// position, offset, index); `end` is the greatest adjusted position seen so far.
//   1. Every word stands on the first occurrence of its term; the j-th word (by offset, from 0) of
//      those that share a term on its j-th one. A word without one: frequency 0.
//   2. Take the least word s out. Its match length is end - s; `next` is the least adjusted
//      position of the others.
//   3. Move s to its next occurrence (end follows). If s shares its term with other words and one
//      of them, the first by offset, stands on the same position, move the lesser of the two by
//      (adjusted position, offset) on, and look again from the one that moved, until none collide.
//      (`next` stays what it was.)
//   4. If s is still <= next: the match length becomes the minimum of itself and end - s; go to 3.
//   5. Otherwise the match counts if its length is <= slop; put s back and go to 2.
//   6. When a word that has to move has no further occurrence, the match at hand counts if its
//      length is <= slop, and the document is done.
// A match of length m adds 1 / (1 + m); the sum is taken in float, in the order of the matches.
// Repeated terms of a phrase thus always stand on different occurrences.
//
// The last word may stand for any of several terms. It shares its term with every word that has one
// of these. Step 1 is then: every word stands on its first occurrence; after that, for each word by
// offset, as long as another word of its term stands on the same position, the lesser of the two by
// (adjusted position, offset) moves on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pmdex {

class SloppyPhraseMatcher {
 public:
  // terms, offsets: one per word of the phrase. Equal terms share their occurrences. Requires
  // offsets.size() == terms.size().
  SloppyPhraseMatcher(std::span<const std::string> terms, std::span<const uint32_t> offsets,
                      uint32_t slop);

  // The same for a last word that stands for any of `last`. terms: of the other words. Requires
  // offsets.size() == terms.size() + 1.
  SloppyPhraseMatcher(std::span<const std::string> terms, std::span<const std::string> last,
                      std::span<const uint32_t> offsets, uint32_t slop);

  // positions[i]: the positions of the term of word i in the document, ascending.
  float Frequency(std::span<const std::vector<uint32_t>> positions);

 private:
  struct Word {
    int64_t offset = 0;
    size_t group = 0;  // of the words that share a term: index into groups_
    const std::vector<uint32_t>* occurrences = nullptr;
    size_t at = 0;
    int64_t adjusted = 0;
    bool out = false;  // taken out by step 2
  };

  void SortGroups();
  bool Start(std::span<const std::vector<uint32_t>> positions);
  bool Move(Word& word);
  bool StartApart(std::span<const std::vector<uint32_t>> positions);
  std::optional<size_t> Collide(size_t index) const;
  size_t Lesser(size_t a, size_t b) const;
  bool MoveApart(size_t index);
  bool IsLess(size_t a, size_t b) const;
  size_t Least() const;

  std::vector<Word> words_;
  std::vector<std::vector<size_t>> groups_;  // words of one term, by offset
  bool shares_last_ = false;  // the last word stands for several terms and shares one of them
  int64_t slop_;
  int64_t end_ = 0;
};

}  // namespace pmdex
