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
  uint32_t offset = 0;
};

}  // namespace

PhraseCheck::PhraseCheck(const BoundQuery& phrase, std::vector<uint32_t> slots,
                         const QueryKernels& kernels)
    : kernels_(kernels),
      slots_(std::move(slots)),
      exact_(phrase.slop == 0),
      matcher_(MatcherOf(phrase)),
      positions_(slots_.size()) {
  for (const uint32_t slot : slots_) offsets_.push_back(phrase.offsets[slot]);
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
  starts_.clear();
  for (const uint16_t position : lists[0].positions) {
    if (position < lists[0].offset) continue;  // the phrase would begin before the text
    starts_.push_back(static_cast<uint16_t>(position - lists[0].offset));
  }
  auto count = static_cast<uint32_t>(starts_.size());
  for (auto list = lists.begin() + 1; list != end && count != 0; ++list) {
    count = kernels_.keep_starts(starts_.data(), count, list->positions.data(),
                                 static_cast<uint32_t>(list->positions.size()), list->offset);
  }
  return static_cast<float>(count);
}

absl::StatusOr<float> PhraseCheck::ByMatcher(std::span<const Term> terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(terms[i].list->ReadPositions(terms[i].posting, positions_[slots_[i]]));
  }
  return std::visit([this](auto& matcher) { return matcher.Frequency(positions_); }, matcher_);
}

}  // namespace pmdex
