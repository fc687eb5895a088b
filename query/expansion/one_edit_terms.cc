#include "query/expansion/one_edit_terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/analysis/code_points.h"
#include "query/expansion/numbered_terms.h"
#include "query/expansion/signature_terms.h"

namespace pmdex {
namespace {

constexpr std::string_view kLetters = "0123456789_abcdefghijklmnopqrstuvwxyz";  // ascending

// The bytes that are not in kLetters, as ranges.
constexpr std::array<std::pair<unsigned char, unsigned char>, 4> kOtherBytes = {
    {{0x00, '0' - 1}, {'9' + 1, '_' - 1}, {'_' + 1, 'a' - 1}, {'z' + 1, 0xff}}};

}  // namespace

bool OneEditTerms::Suits(std::string_view word) {
  // The last of these characters may change places with the one behind it.
  return !word.empty() &&
         word.substr(0, kMostDepth + 1).find_first_not_of(kLetters) == std::string_view::npos;
}

OneEditTerms::OneEditTerms(std::string_view word, std::string_view prefix,
                           const FuzzyAutomaton& automaton, DeadlineWatch& watch)
    : word_(word), first_(prefix.size()), automaton_(automaton), watch_(watch) {
  constexpr size_t kMostCandidates = kMostDepth * (2 * kLetters.size() + 2);
  candidates_.reserve(kMostCandidates * (word.size() + 1));
  hashed_.reserve(kMostCandidates);
  for (size_t place = 0; place < kMostDepth; ++place) {
    if (first_ <= place && place < word.size()) AddCandidates(place);
    ends_[place + 1] = hashed_.size();
  }
}

// Adds the first bytes of the word, other ones, and the word from `from` on.
void OneEditTerms::AddCandidate(size_t kept_bytes, std::string_view replaced, size_t from) {
  const size_t begin = candidates_.size();
  candidates_ += word_.substr(0, kept_bytes);
  candidates_ += replaced;
  candidates_ += word_.substr(from);
  hashed_.emplace_back(std::string_view(candidates_).substr(begin));
}

// The strings that one edit at this place makes of the word. Some occur twice.
void OneEditTerms::AddCandidates(size_t place) {
  for (size_t i = 0; i < kLetters.size(); ++i) {
    const std::string_view letter = kLetters.substr(i, 1);
    if (letter[0] == word_[place]) continue;  // the term begins like the word
    AddCandidate(place, letter, place);
    AddCandidate(place, letter, place + 1);
  }
  AddCandidate(place, "", place + 1);
  if (place + 1 == word_.size()) return;
  const std::array<char, 2> swapped = {word_[place + 1], word_[place]};
  AddCandidate(place, {swapped.data(), swapped.size()}, place + 2);
}

absl::Status OneEditTerms::Find(const TermDictionary& dictionary, FieldId field) {
  found_.clear();
  next_ = 0;
  status_ = FindAll(dictionary, field);
  if (!status_.ok()) found_.clear();
  std::sort(found_.begin(), found_.end(),
            [](const Found& a, const Found& b) { return a.term < b.term; });
  const auto is_same = [](const Found& a, const Found& b) { return a.term == b.term; };
  found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
  return status_;
}

absl::Status OneEditTerms::FindAll(const TermDictionary& dictionary, FieldId field) {
  PMDEX_ASSIGN_OR_RETURN(const size_t depth, DepthIn(dictionary, field));
  PMDEX_RETURN_IF_ERROR(ReadByPrefix(dictionary, field, depth));
  PMDEX_RETURN_IF_ERROR(LookUp(dictionary, field, depth));
  return SearchGaps(dictionary, field, depth);
}

// How many of the first characters are edited by look-ups: until few enough terms begin like the
// word for a scan of their signatures.
absl::StatusOr<size_t> OneEditTerms::DepthIn(const TermDictionary& dictionary,
                                             FieldId field) const {
  constexpr uint64_t kFewBlocks = 2048;
  const size_t most = std::min(kMostDepth, word_.size());
  size_t depth = std::min(std::max<size_t>(first_, 1), most);
  for (; depth < most; ++depth) {
    PMDEX_ASSIGN_OR_RETURN(const BlockRange blocks,
                           BlocksWith(word_.substr(0, depth), dictionary, field));
    if (blocks.end - blocks.begin <= kFewBlocks) break;
  }
  return depth;
}

// Terms that begin with the first `depth` bytes of the word, and with the prefix that is fixed.
absl::Status OneEditTerms::ReadByPrefix(const TermDictionary& dictionary, FieldId field,
                                        size_t depth) {
  const std::string_view prefix = word_.substr(0, std::max(depth, first_));
  SignatureTerms terms(dictionary, field, automaton_, watch_);
  PMDEX_RETURN_IF_ERROR(terms.Scan(word_, prefix));
  terms.Start(SignatureTerms::Candidates::kNear);
  while (terms.Next()) {
    if (!terms.term().starts_with(prefix)) continue;
    PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry entry, terms.entry());
    found_.push_back({std::string(terms.term()), entry});
  }
  return terms.status();
}

// Reads the buckets of some candidates ahead, so that it waits for many of them at the same time.
absl::Status OneEditTerms::LookUp(const TermDictionary& dictionary, FieldId field, size_t depth) {
  constexpr size_t kAhead = 16;
  constexpr uint64_t kWork = 4;
  const size_t count = ends_[depth];
  DictionaryEntry entry;
  for (size_t i = 0; i < std::min(kAhead, count); ++i) dictionary.Prefetch(field, hashed_[i]);
  for (size_t i = 0; i < count && !watch_.IsOver(kWork); ++i) {
    if (i + kAhead < count) dictionary.Prefetch(field, hashed_[i + kAhead]);
    PMDEX_ASSIGN_OR_RETURN(const bool found,
                           dictionary.Find(field, hashed_[i], DictionaryTable::kRare, entry));
    if (found) found_.push_back({std::string(hashed_[i].text()), entry});
  }
  return absl::OkStatus();
}

absl::Status OneEditTerms::SearchGaps(const TermDictionary& dictionary, FieldId field,
                                      size_t depth) {
  std::vector<Gap> gaps;  // they have no terms in common
  for (size_t i = first_; i < depth; ++i) {
    for (const auto& [begin, last] : kOtherBytes) {
      gaps.push_back({i, std::string(word_.substr(0, i)) + static_cast<char>(begin), last});
    }
  }
  std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  TermIterator terms(dictionary, field);
  bool more = terms.Next();
  for (const Gap& gap : gaps) {
    if (more && terms.term() < gap.begin) more = terms.Seek(gap.begin);
    if (!more || watch_.is_over()) break;
    PMDEX_ASSIGN_OR_RETURN(more, SearchGap(dictionary, field, gap, terms));
  }
  return terms.status();
}

// Begins with the first term that is not less than all terms of the gap. Moves to the first term
// behind the gap, and returns false if there is none. Looks up the strings with one character of
// the gap in the place of the edit, for each character that a term has there.
absl::StatusOr<bool> OneEditTerms::SearchGap(const TermDictionary& dictionary, FieldId field,
                                             const Gap& gap, TermIterator& terms) {
  constexpr uint64_t kWork = 64;
  const std::string_view prefix = word_.substr(0, gap.prefix_bytes);
  bool more = true;
  while (more && !watch_.IsOver(kWork)) {
    const std::string_view term = terms.term();
    if (term.size() <= prefix.size() || !term.starts_with(prefix)) break;
    const std::string_view rest = term.substr(prefix.size());
    if (static_cast<unsigned char>(rest[0]) > gap.last) break;
    const size_t size_bytes = CodePointBytes(rest);
    const bool is_stray = IsStrayByte(DecodeCodePoint(rest, size_bytes));
    std::string text(term.substr(0, prefix.size() + size_bytes));
    for (size_t from = prefix.size(); from <= std::min(prefix.size() + 1, word_.size()); ++from) {
      PMDEX_RETURN_IF_ERROR(LookUpText(dictionary, field, text + std::string(word_.substr(from))));
    }
    if (is_stray) {
      more = terms.Next();  // longer characters that begin with this byte may follow
    } else {
      ++text.back();  // no byte of UTF-8 is 255
      more = terms.Seek(text);
    }
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  return more;
}

absl::Status OneEditTerms::LookUpText(const TermDictionary& dictionary, FieldId field,
                                      std::string text) {
  PMDEX_ASSIGN_OR_RETURN(const std::optional<DictionaryEntry> entry, dictionary.Find(field, text));
  if (entry.has_value()) found_.push_back({std::move(text), *entry});
  return absl::OkStatus();
}

}  // namespace pmdex
