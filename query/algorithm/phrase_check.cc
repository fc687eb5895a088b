#include "query/algorithm/phrase_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pmdex {
namespace {

std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> MatcherOf(const BoundQuery& phrase) {
  if (phrase.slop == 0) return ExactPhraseMatcher(phrase.offsets);
  std::vector<std::string> texts;
  for (const BoundTerm& term : phrase.terms) texts.push_back(term.text);
  return SloppyPhraseMatcher(texts, phrase.offsets, phrase.slop);
}

uint32_t Look(DocId doc, PostingWindows& term, uint32_t& posting) {
  if (posting == PhraseCheck::kUnknown) posting = term.Find(doc);
  return posting;
}

}  // namespace

PhraseCheck::PhraseCheck(const BoundQuery& phrase, std::vector<uint32_t> slots,
                         std::vector<uint32_t> terms, const QueryKernels& kernels)
    : kernels_(kernels),
      slots_(std::move(slots)),
      terms_(std::move(terms)),
      exact_(phrase.slop == 0),
      matcher_(MatcherOf(phrase)),
      positions_(slots_.size()) {
  for (const uint32_t slot : slots_) offsets_.push_back(phrase.offsets[slot]);
}

// -1: something for the matcher.
int PhraseCheck::CountInPlace(DocId doc, std::span<PostingWindows> terms,
                              std::span<uint32_t> postings) const {
  constexpr size_t kMostStarts = 2048;
  std::array<uint16_t, kMostStarts> starts;
  uint32_t count = 0;
  for (size_t i = 0; i < terms_.size(); ++i) {
    PostingWindows& term = terms[terms_[i]];
    const uint32_t posting = Look(doc, term, postings[terms_[i]]);
    if (posting == PostingWindows::kNoPosting) return 0;
    const std::span<const uint16_t> positions = term.list().PositionsInPlace(posting);
    if (positions.empty() || (i == 0 && positions.size() > kMostStarts)) return -1;
    const uint32_t offset = offsets_[i];
    if (i == 0) {
      for (const uint16_t position : positions) {  // a phrase does not begin before the text
        starts[count] = static_cast<uint16_t>(position - offset);
        count += position >= offset ? 1 : 0;
      }
    } else {
      count = kernels_.keep_starts(starts.data(), count, positions.data(),
                                   static_cast<uint32_t>(positions.size()), offset);
    }
    if (count == 0) return 0;
  }
  return static_cast<int>(count);
}

absl::StatusOr<float> PhraseCheck::ByMatcher(DocId doc, std::span<PostingWindows> terms,
                                             std::span<uint32_t> postings) {
  for (size_t i = 0; i < terms_.size(); ++i) {
    PostingWindows& term = terms[terms_[i]];
    const uint32_t posting = Look(doc, term, postings[terms_[i]]);
    if (posting == PostingWindows::kNoPosting) return 0.0f;
    PMDEX_RETURN_IF_ERROR(term.list().ReadPositions(posting, positions_[slots_[i]]));
  }
  return std::visit([this](auto& matcher) { return matcher.Frequency(positions_); }, matcher_);
}

}  // namespace pmdex
