#include "query/expansion/fuzzy_terms.h"

#include <optional>

#include "engine/analysis/code_points.h"
#include "pmem/short_bytes.h"

namespace pmdex {

FuzzyTerms::FuzzyTerms(const TermDictionary& dictionary, FieldId field,
                       const FuzzyAutomaton& automaton, DeadlineWatch& watch)
    : terms_(dictionary, field), automaton_(automaton), watch_(watch), path_(1) {}

void FuzzyTerms::Push(const FuzzyAutomaton::Move& move, std::string_view bytes) {
  prefix_ += bytes;
  path_.push_back({move.character, prefix_.size(), move.state});
}

void FuzzyTerms::Pop() {
  path_.pop_back();
  prefix_.resize(path_.back().end);
}

// Reads the current term up to its end, or until no term with this prefix can match. Returns true
// if the term matches.
bool FuzzyTerms::Read() {
  ++visited_;
  const std::string_view term = terms_.term();
  // In another term, a stray byte of the path can be the first byte of a character.
  while (stray_depth_ != 0 && depth() >= stray_depth_) Pop();
  stray_depth_ = 0;
  const size_t shared = CountSharedBytes(prefix_, term);
  while (path_.back().end > shared) Pop();
  while (path_.back().state != FuzzyAutomaton::kDead) {
    const std::string_view rest = term.substr(prefix_.size());
    if (rest.empty()) {
      const std::optional<uint32_t> distance = automaton_.Distance(path_.back().state, depth());
      distance_ = distance.value_or(0);
      return distance.has_value();
    }
    const size_t size_bytes = CodePointBytes(rest);
    const uint32_t character = DecodeCodePoint(rest, size_bytes);
    const FuzzyAutomaton::State state = automaton_.Step(path_.back().state, depth(), character);
    Push({character, state}, rest.substr(0, size_bytes));
    if (stray_depth_ == 0 && IsStrayByte(character)) stray_depth_ = depth();
  }
  return false;
}

// Extends the path by the smallest character >= from of the word after which a term can match.
// Returns false if there is none.
bool FuzzyTerms::PushSmallest(uint32_t from) {
  const auto move = automaton_.LeastMove(path_.back().state, depth(), from);
  if (!move.has_value()) return false;
  AppendCodePoint(move->character, prefix_);
  Push(*move, {});
  return true;
}

// Seeks the smallest string with the path's prefix that can match. If any character may follow,
// that is the prefix itself. Returns false at the end of the dictionary. The path stays as it is,
// because few terms begin like the rest of that string.
bool FuzzyTerms::SeekPath() {
  target_ = prefix_;
  FuzzyAutomaton::State state = path_.back().state;
  for (size_t at = depth();
       !automaton_.Distance(state, at).has_value() && !automaton_.TakesOthers(state, at); ++at) {
    const auto move = automaton_.LeastMove(state, at, 0);
    if (!move.has_value()) break;
    AppendCodePoint(move->character, target_);
    state = move->state;
  }
  return terms_.Seek(target_);
}

// Moves from a term that does not match to a later one that may, and skips no term that does match.
// Returns false if there is none. The order of characters equals the order of their bytes
// (code_points.h).
bool FuzzyTerms::Skip() {
  if (stray_depth_ != 0 || automaton_.has_stray_bytes()) return terms_.Next();
  if (path_.back().state != FuzzyAutomaton::kDead) {  // longer terms may match
    if (automaton_.TakesOthers(path_.back().state, depth())) return terms_.Next();
    if (PushSmallest(0)) return SeekPath();
  }
  while (depth() > 0) {
    const uint32_t last = path_.back().character;
    target_ = prefix_;
    Pop();
    if (automaton_.TakesOthers(path_.back().state, depth())) {
      ++target_.back();  // no byte of UTF-8 is 255
      return terms_.Seek(target_);
    }
    if (PushSmallest(last + 1)) return SeekPath();
  }
  return false;
}

// To be asked before each step to another term, which costs most of a microsecond.
bool FuzzyTerms::IsTooLate() {
  constexpr uint64_t kWork = 64;
  return watch_.IsOver(kWork);
}

bool FuzzyTerms::Next() {
  bool more = !is_done_ && !IsTooLate() && terms_.Next();
  while (more && !Read()) more = !IsTooLate() && Skip();
  is_done_ = !more;
  return more;
}

}  // namespace pmdex
