// Finds the terms of one field that are within one edit of a word, without a walk of the
// dictionary. The strings within one edit that are made of lower-case letters, digits and
// underscores are looked up in the hash tables. Terms with another character in the place of the
// edit are read from the ordered dictionary, which says where the next such term is. FuzzyTerms
// finds the same terms by a walk, which reads the heads of many more blocks.
//
// For one thread. What the constructor takes must outlive it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/dictionary/term_iterator.h"
#include "pmem/status.h"
#include "query/deadline.h"

namespace pmdex {

class OneEditTerms {
 public:
  // True for a word of lower-case letters of ASCII, digits and underscores, which is not so long
  // that a walk costs less.
  static bool Suits(std::string_view word);

  // Requires Suits(word). Terms that do not begin with `prefix`, which `word` begins with, may be
  // left out.
  OneEditTerms(std::string_view word, std::string_view prefix, DeadlineWatch& watch);

  // Finds the terms of a dictionary, and begins before the first one. Stops early once the watch is
  // over. kDataLoss if the dictionary is damaged.
  absl::Status Find(const TermDictionary& dictionary, FieldId field);

  // Moves to the next term, in byte order; false at the end.
  bool Next() { return next_++ < found_.size(); }
  // As in FuzzyTerms.
  std::string_view term() const { return found_[next_ - 1].term; }
  uint32_t distance() const { return term() == word_ ? 0 : 1; }
  absl::StatusOr<DictionaryEntry> entry() const { return found_[next_ - 1].entry; }
  const absl::Status& status() const { return status_; }

 private:
  // The terms that begin with a prefix of the word and one of the bytes from `first` to `last`.
  struct Gap {
    size_t prefix_bytes = 0;  // of the word
    std::string begin;        // no such term is less
    unsigned char last = 0;
  };
  struct Found {
    std::string term;
    DictionaryEntry entry;
  };

  void AddCandidate(size_t kept_bytes, std::string_view replaced, size_t from);
  void AddCandidates(size_t first);
  void AddGaps(size_t first);
  absl::Status LookUp(const TermDictionary& dictionary, FieldId field);
  absl::Status SearchGaps(const TermDictionary& dictionary, FieldId field);
  absl::StatusOr<bool> SearchGap(const TermDictionary& dictionary, FieldId field, const Gap& gap,
                                 TermIterator& terms);
  absl::Status LookUpText(const TermDictionary& dictionary, FieldId field, std::string text);

  const std::string_view word_;
  DeadlineWatch& watch_;
  std::string candidates_;          // the strings to look up, one behind the other
  std::vector<HashedTerm> hashed_;  // these; of candidates_, which does not change any more
  std::vector<Gap> gaps_;           // ascending by begin; they have no terms in common
  std::vector<Found> found_;        // by term
  size_t next_ = 0;                 // one more than the current term
  absl::Status status_;
};

}  // namespace pmdex
