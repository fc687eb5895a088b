// Finds the terms of one field that are within one edit of a word. Terms that begin like the word
// are found by their signatures (term_signature.h). Others have the edit among the first few
// characters: such strings of lower-case letters, digits and underscores are looked up in the hash
// tables, and terms with another character in the place of the edit are read from the ordered
// dictionary, which says where the next such term is. FuzzyTerms finds the same terms by a walk,
// which reads the heads of many more blocks.
//
// For one thread. What the constructor takes must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_dictionary.h"
#include "engine/segment/dictionary/term_iterator.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/fuzzy_automaton.h"

namespace pmdex {

class OneEditTerms {
 public:
  // True for a word that begins with lower-case letters of ASCII, digits or underscores.
  static bool Suits(std::string_view word);

  // automaton: of the word, for one edit. Requires Suits(word). Terms that do not begin with
  // `prefix`, which `word` begins with, may be left out.
  OneEditTerms(std::string_view word, std::string_view prefix, const FuzzyAutomaton& automaton,
               DeadlineWatch& watch);

  // Finds the terms of a dictionary that has signatures, and begins before the first one. Stops
  // early once the watch is over. kDataLoss if the dictionary is damaged.
  absl::Status Find(const TermDictionary& dictionary, FieldId field);

  // Moves to the next term, in byte order; false at the end.
  bool Next() { return next_++ < found_.size(); }
  // As in FuzzyTerms.
  std::string_view term() const { return found_[next_ - 1].term; }
  uint32_t distance() const { return term() == word_ ? 0 : 1; }
  absl::StatusOr<DictionaryEntry> entry() const { return found_[next_ - 1].entry; }
  const absl::Status& status() const { return status_; }

 private:
  // At most so many of the first characters are edited by look-ups.
  static constexpr size_t kMostDepth = 4;

  // The terms that begin with a prefix of the word and one of the bytes from a first to `last`.
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
  void AddCandidates(size_t place);
  absl::StatusOr<size_t> DepthIn(const TermDictionary& dictionary, FieldId field) const;
  absl::Status FindAll(const TermDictionary& dictionary, FieldId field);
  absl::Status ReadByPrefix(const TermDictionary& dictionary, FieldId field, size_t depth);
  absl::Status LookUp(const TermDictionary& dictionary, FieldId field, size_t depth);
  absl::Status SearchGaps(const TermDictionary& dictionary, FieldId field, size_t depth);
  absl::StatusOr<bool> SearchGap(const TermDictionary& dictionary, FieldId field, const Gap& gap,
                                 TermIterator& terms);
  absl::Status LookUpText(const TermDictionary& dictionary, FieldId field, std::string text);

  const std::string_view word_;
  const size_t first_;  // the first place where a term may be edited
  const FuzzyAutomaton& automaton_;
  DeadlineWatch& watch_;
  std::string candidates_;                     // the strings to look up, one behind the other
  std::vector<HashedTerm> hashed_;             // these; of candidates_, which has room for all
  std::array<size_t, kMostDepth + 1> ends_{};  // [d]: the number of those edited before place d
  std::vector<Found> found_;                   // by term
  size_t next_ = 0;                            // one more than the current term
  absl::Status status_;
};

}  // namespace pmdex
