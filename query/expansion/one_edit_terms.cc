#include "query/expansion/one_edit_terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace {

constexpr std::string_view kLetters = "0123456789_abcdefghijklmnopqrstuvwxyz";  // ascending
constexpr size_t kMostWordBytes = 24;

// The bytes that are not in kLetters, as ranges.
constexpr std::array<std::pair<unsigned char, unsigned char>, 4> kOtherBytes = {
    {{0x00, '0' - 1}, {'9' + 1, '_' - 1}, {'_' + 1, 'a' - 1}, {'z' + 1, 0xff}}};

}  // namespace

bool OneEditTerms::Suits(std::string_view word) {
  return !word.empty() && word.size() <= kMostWordBytes &&
         word.find_first_not_of(kLetters) == std::string_view::npos;
}

OneEditTerms::OneEditTerms(std::string_view word, std::string_view prefix, DeadlineWatch& watch)
    : word_(word), watch_(watch) {
  AddCandidates(prefix.size());
  AddGaps(prefix.size());
}

// Adds the first bytes of the word, other ones, and the word from `from` on.
void OneEditTerms::AddCandidate(size_t kept_bytes, std::string_view replaced, size_t from) {
  candidates_ += word_.substr(0, kept_bytes);
  candidates_ += replaced;
  candidates_ += word_.substr(from);
}

// The word, and the strings that differ from it by one edit behind the first `first` bytes. Some
// occur twice.
void OneEditTerms::AddCandidates(size_t first) {
  const size_t size = word_.size();
  std::vector<size_t> ends;
  candidates_.reserve((size + 1) * (size + 1) * 2 * (kLetters.size() + 1));
  const auto add = [&](size_t kept_bytes, std::string_view replaced, size_t from) {
    AddCandidate(kept_bytes, replaced, from);
    ends.push_back(candidates_.size());
  };
  add(size, "", size);
  for (size_t i = first; i <= size; ++i) {
    for (size_t letter = 0; letter < kLetters.size(); ++letter) {
      const std::string_view one = kLetters.substr(letter, 1);
      add(i, one, i);
      if (i < size && one[0] != word_[i]) add(i, one, i + 1);
    }
    if (i < size) add(i, "", i + 1);
    if (i + 1 < size && word_[i] != word_[i + 1]) {
      const std::array<char, 2> swapped = {word_[i + 1], word_[i]};
      add(i, {swapped.data(), swapped.size()}, i + 2);
    }
  }
  hashed_.reserve(ends.size());
  size_t begin = 0;
  for (const size_t end : ends) {
    hashed_.emplace_back(std::string_view(candidates_).substr(begin, end - begin));
    begin = end;
  }
}

void OneEditTerms::AddGaps(size_t first) {
  for (size_t i = first; i <= word_.size(); ++i) {
    for (const auto& [begin, last] : kOtherBytes) {
      gaps_.push_back({i, std::string(word_.substr(0, i)) + static_cast<char>(begin), last});
    }
  }
  std::sort(gaps_.begin(), gaps_.end(),
            [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
}

absl::Status OneEditTerms::Find(const TermDictionary& dictionary, FieldId field) {
  found_.clear();
  next_ = 0;
  status_ = LookUp(dictionary, field);
  if (status_.ok()) status_ = SearchGaps(dictionary, field);
  if (!status_.ok()) found_.clear();
  std::sort(found_.begin(), found_.end(),
            [](const Found& a, const Found& b) { return a.term < b.term; });
  const auto is_same = [](const Found& a, const Found& b) { return a.term == b.term; };
  found_.erase(std::unique(found_.begin(), found_.end(), is_same), found_.end());
  return status_;
}

// Reads the buckets of some candidates ahead, so that it waits for many of them at the same time.
absl::Status OneEditTerms::LookUp(const TermDictionary& dictionary, FieldId field) {
  constexpr size_t kAhead = 16;
  constexpr uint64_t kWork = 4;
  DictionaryEntry entry;
  for (size_t i = 0; i < std::min(kAhead, hashed_.size()); ++i) {
    dictionary.Prefetch(field, hashed_[i]);
  }
  for (size_t i = 0; i < hashed_.size() && !watch_.IsOver(kWork); ++i) {
    if (i + kAhead < hashed_.size()) dictionary.Prefetch(field, hashed_[i + kAhead]);
    PMDEX_ASSIGN_OR_RETURN(const bool found,
                           dictionary.Find(field, hashed_[i], DictionaryTable::kRare, entry));
    if (found) found_.push_back({std::string(hashed_[i].text()), entry});
  }
  return absl::OkStatus();
}

absl::Status OneEditTerms::SearchGaps(const TermDictionary& dictionary, FieldId field) {
  TermIterator terms(dictionary, field);
  bool more = terms.Next();
  for (const Gap& gap : gaps_) {
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
