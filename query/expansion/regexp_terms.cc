#include "query/expansion/regexp_terms.h"

#include <optional>
#include <utility>

#include "engine/analysis/code_points.h"
#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

// In the watch's units of work.
constexpr uint64_t kTermStepWork = 4;   // a step to the next term
constexpr uint64_t kTermSeekWork = 64;  // a seek

}  // namespace

RegexpTerms::RegexpTerms(const TermDictionary& dictionary, FieldId field,
                         const RegexpAutomaton& automaton, DeadlineWatch& watch)
    : terms_(dictionary, field), automaton_(automaton), watch_(watch), path_(1) {
  path_[0].state = automaton.start();
}

void RegexpTerms::Pop() {
  path_.pop_back();
  prefix_.resize(path_.back().end);
}

// Reads the current term up to its end, or until no term with this prefix can match. Returns true
// if the term matches.
bool RegexpTerms::Read() {
  ++visited_;
  const std::string_view term = terms_.term();
  // In another term, a stray byte of the path can be the first byte of a character.
  while (stray_depth_ != 0 && path_.size() > stray_depth_) Pop();
  stray_depth_ = 0;
  const size_t shared = CountSharedBytes(prefix_, term);
  while (path_.back().end > shared) Pop();
  while (path_.back().state != RegexpAutomaton::kDead) {
    const std::string_view rest = term.substr(prefix_.size());
    if (rest.empty()) return automaton_.Accepts(path_.back().state);
    const size_t size_bytes = CodePointBytes(rest);
    const uint32_t character = DecodeCodePoint(rest, size_bytes);
    if (stray_depth_ == 0 && IsStrayByte(character)) stray_depth_ = path_.size();
    const RegexpAutomaton::State state = automaton_.Step(path_.back().state, character);
    prefix_ += rest.substr(0, size_bytes);
    path_.push_back({prefix_.size(), character, state});
  }
  return false;
}

bool RegexpTerms::StepOn() {
  return !watch_.IsOver(kTermStepWork) && terms_.Next();
}

// Moves to the first term >= target. state: the automaton's after the target. Characters that must
// follow the target are appended to it first. A few single steps are tried before a seek, because
// they cost less. Returns false at the end of the dictionary or once the watch is over.
bool RegexpTerms::GoTo(std::string target, RegexpAutomaton::State state) {
  constexpr size_t kMostAdded = 32;
  for (size_t i = 0; i < kMostAdded; ++i) {
    if (automaton_.Accepts(state) || automaton_.TakesStrayBytes(state)) break;
    const std::optional<uint32_t> least = automaton_.FirstFrom(state, 0);
    if (!least.has_value()) break;
    AppendCodePoint(*least, target);
    state = automaton_.Step(state, *least);
  }
  constexpr int kSteps = 8;
  for (int i = 0; is_started_ && i < kSteps; ++i) {
    if (!StepOn()) return false;
    if (terms_.term() >= target) return true;
  }
  is_started_ = true;
  return !watch_.IsOver(kTermSeekWork) && terms_.Seek(target);
}

// Moves to a later term that may match, and skips no term that does match. Returns false if there
// is none. The order of characters equals the order of their bytes (code_points.h), except for
// stray bytes.
bool RegexpTerms::Skip() {
  if (stray_depth_ != 0) return StepOn();
  uint32_t from = 0;  // the least character that may follow the path
  if (path_.back().state == RegexpAutomaton::kDead) {
    from = path_.back().character + 1;
    Pop();
  }
  while (true) {
    const RegexpAutomaton::State state = path_.back().state;
    if (automaton_.TakesStrayBytes(state)) return StepOn();
    if (const std::optional<uint32_t> next = automaton_.FirstFrom(state, from)) {
      std::string target = prefix_;
      AppendCodePoint(*next, target);
      return GoTo(std::move(target), automaton_.Step(state, *next));
    }
    if (path_.size() == 1) return false;
    from = path_.back().character + 1;
    Pop();
  }
}

bool RegexpTerms::Next() {
  if (is_done_) return false;
  bool more = is_started_ ? Skip() : GoTo(std::string(), automaton_.start());
  while (more && !Read()) more = Skip();
  is_done_ = !more;
  return more;
}

}  // namespace pmdex
