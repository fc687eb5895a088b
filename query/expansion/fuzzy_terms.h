// Iterates over the terms of one field of one segment that are within some edits of a word, in byte
// order. It runs the automaton over the ordered dictionary. It reuses the states for the prefix
// that a term shares with the one before it, and seeks past terms that cannot match.
//
// For one thread. The dictionary, the automaton and the watch must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_iterator.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/expansion/fuzzy_automaton.h"

namespace pmdex {

class FuzzyTerms {
 public:
  FuzzyTerms(const TermDictionary& dictionary, FieldId field, const FuzzyAutomaton& automaton,
             DeadlineWatch& watch);

  // Moves to the next term that is near enough; the first call moves to the first one. Returns
  // false at the end, if the dictionary is damaged (see status), and once the watch is over.
  bool Next();
  // Valid after Next returned true, until the next call.
  std::string_view term() const { return terms_.term(); }
  uint32_t distance() const { return distance_; }
  absl::StatusOr<DictionaryEntry> entry() const { return terms_.entry(); }
  const absl::Status& status() const { return terms_.status(); }
  // How many terms of the dictionary were read so far.
  uint64_t visited() const { return visited_; }

 private:
  struct Node {
    uint32_t character = 0;
    size_t end = 0;  // bytes of prefix_ up to and including the character
    FuzzyAutomaton::State state = FuzzyAutomaton::kStart;
  };

  bool IsTooLate();
  bool Read();
  bool Skip();
  bool PushSmallest(uint32_t from);
  bool SeekPath();
  void Push(const FuzzyAutomaton::Move& move, std::string_view bytes);
  void Pop();
  size_t depth() const { return path_.size() - 1; }

  TermIterator terms_;
  const FuzzyAutomaton& automaton_;
  DeadlineWatch& watch_;
  // The part read of the last term, or the begin of the string to seek: by character, and as bytes.
  std::vector<Node> path_;  // path_[0]: nothing read
  std::string prefix_;
  std::string target_;      // scratch: the string to seek
  size_t stray_depth_ = 0;  // depth of the first stray byte in the path; 0: none
  bool is_done_ = false;
  uint32_t distance_ = 0;
  uint64_t visited_ = 0;
};

}  // namespace pmdex
