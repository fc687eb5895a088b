// Iterates over the terms of one field of one segment that a regular expression matches, in byte
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
#include "query/language/regexp_automaton.h"

namespace pmdex {

class RegexpTerms {
 public:
  RegexpTerms(const TermDictionary& dictionary, FieldId field, const RegexpAutomaton& automaton,
              DeadlineWatch& watch);

  // Moves to the next term that matches; the first call moves to the first one. Returns false at
  // the end, if the dictionary is damaged (see status), and once the watch is over.
  bool Next();
  // Stands on the matching term. Valid after Next returned true, until the next call.
  const TermIterator& terms() const { return terms_; }
  const absl::Status& status() const { return terms_.status(); }
  // How many terms of the dictionary were read so far.
  uint64_t visited() const { return visited_; }

 private:
  struct Node {
    size_t end = 0;  // bytes of prefix_ up to and including the character
    uint32_t character = 0;
    RegexpAutomaton::State state = 0;
  };

  bool Read();
  bool Skip();
  bool GoTo(std::string target, RegexpAutomaton::State state);
  bool StepOn();
  void Pop();

  TermIterator terms_;
  const RegexpAutomaton& automaton_;
  DeadlineWatch& watch_;
  std::vector<Node> path_;  // the characters read of the last term; path_[0]: nothing read
  std::string prefix_;      // the same as bytes
  size_t stray_depth_ = 0;  // depth of the first stray byte in the path; 0: none
  bool is_started_ = false;
  bool is_done_ = false;
  uint64_t visited_ = 0;
};

}  // namespace pmdex
