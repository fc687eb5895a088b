#include "query/algorithm/phrase_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pmdex {
namespace {

constexpr size_t kMostInPlace = 16;  // lists; longer phrases go through the matcher

std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> MatcherOf(const BoundQuery& phrase) {
  if (phrase.slop == 0) return ExactPhraseMatcher(phrase.offsets);
  std::vector<std::string> texts;
  for (const BoundTerm& term : phrase.terms) texts.push_back(term.text);
  return SloppyPhraseMatcher(texts, phrase.offsets, phrase.slop);
}

struct InPlace {
  std::span<const uint16_t> positions;
  int32_t offset = 0;
};

// How many positions of a and b are the same place of the phrase. No branch on the values.
uint32_t CountCommon(const InPlace& a, const InPlace& b) {
  const int32_t distance = b.offset - a.offset;
  uint32_t count = 0;
  for (size_t i = 0, j = 0; i < a.positions.size() && j < b.positions.size();) {
    const int32_t left = a.positions[i] + distance;
    const int32_t right = b.positions[j];
    count += left == right ? 1 : 0;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  return count;
}

// Keeps the starts of phrases that the list goes on with.
void KeepCommon(std::vector<int32_t>& starts, const InPlace& list) {
  size_t kept = 0;
  size_t j = 0;
  for (size_t i = 0; i < starts.size() && j < list.positions.size();) {
    const int32_t left = starts[i] + list.offset;
    const int32_t right = list.positions[j];
    starts[kept] = starts[i];
    kept += left == right ? 1 : 0;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  starts.resize(kept);
}

}  // namespace

PhraseCheck::PhraseCheck(const BoundQuery& phrase, std::vector<uint32_t> slots)
    : slots_(std::move(slots)),
      exact_(phrase.slop == 0),
      matcher_(MatcherOf(phrase)),
      positions_(slots_.size()) {
  for (const uint32_t slot : slots_) offsets_.push_back(static_cast<int32_t>(phrase.offsets[slot]));
}

absl::StatusOr<float> PhraseCheck::Frequency(std::span<const Term> terms) {
  if (!exact_ || terms.size() > kMostInPlace || terms.size() < 2) return ByMatcher(terms);
  std::array<InPlace, kMostInPlace> lists;
  for (size_t i = 0; i < terms.size(); ++i) {
    lists[i] = {terms[i].list->PositionsInPlace(terms[i].posting), offsets_[i]};
    if (lists[i].positions.empty()) return ByMatcher(terms);
  }
  const auto end = lists.begin() + static_cast<ptrdiff_t>(terms.size());
  std::sort(lists.begin(), end, [](const InPlace& a, const InPlace& b) {
    return a.positions.size() < b.positions.size();
  });
  if (terms.size() == 2) return static_cast<float>(CountCommon(lists[0], lists[1]));
  starts_.clear();
  for (const uint16_t position : lists[0].positions) starts_.push_back(position - lists[0].offset);
  for (auto list = lists.begin() + 1; list != end && !starts_.empty(); ++list) {
    KeepCommon(starts_, *list);
  }
  return static_cast<float>(starts_.size());
}

absl::StatusOr<float> PhraseCheck::ByMatcher(std::span<const Term> terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(terms[i].list->ReadPositions(terms[i].posting, positions_[slots_[i]]));
  }
  return std::visit([this](auto& matcher) { return matcher.Frequency(positions_); }, matcher_);
}

}  // namespace pmdex
