// Finds the terms of one field of one segment that are within two edits of a word by the signatures
// of all terms (term_signature.h). Only terms whose signature allows so few edits are read from
// their blocks. FuzzyTerms finds the same terms by a walk, which costs more the more characters of
// the word may differ.
//
// For one thread. The dictionary, the automaton and the watch must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/fuzzy_automaton.h"
#include "query/expansion/numbered_terms.h"

namespace pmdex {

class SignatureTerms {
 public:
  // Two sets of terms that have none in common. The terms of both that the automaton accepts are
  // all that it accepts.
  enum class Candidates {
    kNear,  // their signatures allow one edit: all terms within one edit, and some others
    kFar,   // their signatures allow two edits, but not one
  };

  // Requires a dictionary that has signatures. automaton: of the word; with one for one edit, the
  // far terms are of no use.
  SignatureTerms(const TermDictionary& dictionary, FieldId field, const FuzzyAutomaton& automaton,
                 DeadlineWatch& watch)
      : dictionary_(dictionary),
        field_(field),
        terms_(dictionary, field),
        automaton_(automaton),
        watch_(watch) {}

  // Compares the signatures of all terms that begin with `prefix`, and of few others, with that of
  // `word`. To be called once, before the others. kDataLoss if the dictionary is damaged. Stops
  // early once the watch is over.
  absl::Status Scan(std::string_view word, std::string_view prefix);
  // Begins before the first term of a set.
  void Start(Candidates set);

  // Moves to the next term of the set that the automaton accepts, in byte order. Returns false at
  // the end, if the dictionary is damaged (see status), and once the watch is over.
  bool Next();
  // As in FuzzyTerms.
  std::string_view term() const { return terms_.terms().term(); }
  uint32_t distance() const { return distance_; }
  absl::StatusOr<DictionaryEntry> entry() const { return terms_.terms().entry(); }
  const absl::Status& status() const { return terms_.terms().status(); }

 private:
  const TermDictionary& dictionary_;
  const FieldId field_;
  NumberedTerms terms_;
  const FuzzyAutomaton& automaton_;
  DeadlineWatch& watch_;
  // The terms of both sets: their numbers in the field, ascending.
  std::vector<uint32_t> near_;
  std::vector<uint32_t> far_;
  const std::vector<uint32_t>* set_ = &near_;
  size_t next_ = 0;  // in *set_
  uint32_t distance_ = 0;
};

}  // namespace pmdex
