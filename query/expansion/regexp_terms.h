// The terms of one field of one segment that a regular expression matches, in byte order: the
// automaton walks the ordered dictionary, keeps its states for what a term shares with the one
// before it, and where nothing can match any more it goes on at the next string that can.
//
// Belongs to one thread; the dictionary, the automaton and the watch must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_dictionary.h"
#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {

class RegexpTerms {
 public:
  RegexpTerms(const TermDictionary& dictionary, FieldId field, const RegexpAutomaton& automaton,
              DeadlineWatch& watch);

  // To the next term that matches (the first after construction); false at the end, when damage
  // ended the walk (see status), and when the watch says that it is over.
  bool Next();
  // Valid after a true Next, until the next one.
  const TermIterator& terms() const { return terms_; }
  const absl::Status& status() const { return terms_.status(); }
  // Terms looked at up to now.
  uint64_t visited() const { return visited_; }

 private:
  struct Node {
    size_t end = 0;  // bytes of the prefix up to and with its character
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
  std::vector<Node> path_;  // of what was read of the last term; path_[0]: nothing
  std::string prefix_;      // the same as bytes
  size_t stray_depth_ = 0;  // of the first stray byte in the path; 0: none
  bool is_started_ = false;
  bool is_done_ = false;
  uint64_t visited_ = 0;
};

}  // namespace pmdex
