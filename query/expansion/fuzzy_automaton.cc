#include "query/expansion/fuzzy_automaton.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "engine/analysis/code_points.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kMaxWidth = 2 * FuzzyAutomaton::kMaxEdits + 1;

// What later steps need of the alignment table after j characters. Element k belongs to the first
// j - edits + k characters of the word. Distances beyond `edits` are stored as edits + 1.
struct Rows {
  std::array<uint8_t, kMaxWidth> distance{};
  // The distance in the next row if the last character and the next one are a swap.
  std::array<uint8_t, kMaxWidth> swapped{};
  auto operator<=>(const Rows&) const = default;
};

}  // namespace

// The states of all words for one number of edits.
struct EditTable {
  explicit EditTable(size_t edits_allowed);

  size_t edits;
  size_t width;                             // elements of a row
  std::vector<Rows> rows;                   // by state
  std::vector<uint8_t> first_alive;         // by state: the first element within the edits
  std::vector<FuzzyAutomaton::State> next;  // [state << width | mask of equal characters]

 private:
  Rows Step(const Rows& rows, uint32_t equal) const;
  bool IsAlive(uint8_t distance) const { return distance <= edits; }
};

// Computes one row of the table that FuzzyPattern::Distance fills, limited to the elements that can
// be within the edits. equal: bit k is set if the word's character at element k equals the one
// read.
Rows EditTable::Step(const Rows& before, uint32_t equal) const {
  const auto far = static_cast<int>(edits + 1);
  const auto equals = [equal](size_t place) { return (equal >> place & 1) != 0; };
  Rows after = rows[FuzzyAutomaton::kDead];
  int left = far;
  for (size_t k = 0; k < width; ++k) {
    int value = before.distance[k] + (equals(k) ? 0 : 1);
    value = std::min(value, left + 1);
    if (k + 1 < width) value = std::min(value, before.distance[k + 1] + 1);
    if (k > 0 && equals(k - 1)) value = std::min<int>(value, before.swapped[k]);
    left = std::min(value, far);
    after.distance[k] = static_cast<uint8_t>(left);
    const bool begins_swap = k + 1 < width && equals(k + 1);
    after.swapped[k] =
        static_cast<uint8_t>(begins_swap ? std::min(before.distance[k] + 1, far) : far);
  }
  return after;
}

EditTable::EditTable(size_t edits_allowed) : edits(edits_allowed), width(2 * edits_allowed + 1) {
  Rows dead;
  dead.distance.fill(static_cast<uint8_t>(edits + 1));
  dead.swapped = dead.distance;
  Rows start = dead;
  for (size_t k = edits; k < width; ++k) start.distance[k] = static_cast<uint8_t>(k - edits);
  std::map<Rows, FuzzyAutomaton::State> numbers;
  const auto number_of = [&](const Rows& found) {
    const auto number = static_cast<FuzzyAutomaton::State>(rows.size());
    const auto [entry, is_new] = numbers.try_emplace(found, number);
    if (is_new) rows.push_back(found);
    return entry->second;
  };
  number_of(dead);
  number_of(start);
  for (size_t state = 0; state < rows.size(); ++state) {
    const Rows from = rows[state];  // a copy: rows grows
    for (uint32_t equal = 0; equal < uint32_t{1} << width; ++equal) {
      next.push_back(number_of(Step(from, equal)));
    }
    const auto alive = std::find_if(from.distance.begin(), from.distance.end(),
                                    [&](uint8_t distance) { return IsAlive(distance); });
    first_alive.push_back(static_cast<uint8_t>(alive - from.distance.begin()));
  }
}

namespace {

const EditTable& TableOf(size_t edits) {
  static const EditTable tables[] = {EditTable(0), EditTable(1), EditTable(2)};
  PMDEX_CHECK(edits < std::size(tables));
  return tables[edits];
}

}  // namespace

FuzzyAutomaton::FuzzyAutomaton(std::string_view text, uint32_t edits)
    : table_(TableOf(edits)), edits_(edits) {
  std::vector<uint32_t> characters;
  DecodeCodePoints(text, characters);
  size_ = characters.size();
  has_stray_bytes_ = std::any_of(characters.begin(), characters.end(), IsStrayByte);
  text_.assign(edits_, kNoCharacter);
  text_.insert(text_.end(), characters.begin(), characters.end());
  // Before it is dead, the automaton reads at most `edits` characters more than the word has.
  text_.insert(text_.end(), 2 * edits_ + 1, kNoCharacter);
  FindChoices();
}

void FuzzyAutomaton::FindChoices() {
  for (size_t depth = 0; depth + table_.width <= text_.size(); ++depth) {
    const size_t start = choices_.size();
    choice_starts_.push_back(start);
    for (size_t k = 0; k < table_.width; ++k) {
      const uint32_t character = text_[depth + k];
      const uint32_t equal = EqualAt(depth, character);
      const bool is_first = (equal & ((uint32_t{1} << k) - 1)) == 0;
      if (character != kNoCharacter && is_first) choices_.push_back({character, equal});
    }
    std::sort(choices_.begin() + static_cast<ptrdiff_t>(start), choices_.end(),
              [](const Choice& a, const Choice& b) { return a.character < b.character; });
  }
  choice_starts_.push_back(choices_.size());
}

// A state whose only alignments within the edits are with more characters than the word has is
// dead, too.
FuzzyAutomaton::State FuzzyAutomaton::Advance(State state, size_t depth, uint32_t equal) const {
  const State next = table_.next[(size_t{state} << table_.width) | equal];
  return table_.first_alive[next] + depth + 1 <= size_ + edits_ ? next : kDead;
}

uint32_t FuzzyAutomaton::EqualAt(size_t depth, uint32_t character) const {
  uint32_t equal = 0;
  for (size_t k = 0; k < table_.width; ++k) {
    equal |= uint32_t{text_[depth + k] == character} << k;
  }
  return equal;
}

FuzzyAutomaton::State FuzzyAutomaton::Step(State state, size_t depth, uint32_t character) const {
  return Advance(state, depth, EqualAt(depth, character));
}

std::optional<uint32_t> FuzzyAutomaton::Distance(State state, size_t depth) const {
  if (depth > size_ + edits_ || depth + edits_ < size_) return std::nullopt;
  const uint32_t distance = table_.rows[state].distance[size_ + edits_ - depth];
  return distance <= edits_ ? std::optional(distance) : std::nullopt;
}

std::optional<uint32_t> FuzzyAutomaton::DistanceOf(std::string_view text) const {
  State state = kStart;
  size_t depth = 0;
  for (; !text.empty(); ++depth) {
    const size_t size_bytes = CodePointBytes(text);
    state = Step(state, depth, DecodeCodePoint(text, size_bytes));
    if (state == kDead) return std::nullopt;
    text.remove_prefix(size_bytes);
  }
  return Distance(state, depth);
}

std::optional<FuzzyAutomaton::Move> FuzzyAutomaton::LeastMove(State state, size_t depth,
                                                              uint32_t from) const {
  if (depth + 1 >= choice_starts_.size()) return std::nullopt;
  for (size_t i = choice_starts_[depth]; i < choice_starts_[depth + 1]; ++i) {
    if (choices_[i].character < from) continue;
    const State next = Advance(state, depth, choices_[i].equal);
    if (next != kDead) return Move{choices_[i].character, next};
  }
  return std::nullopt;
}

}  // namespace pmdex
