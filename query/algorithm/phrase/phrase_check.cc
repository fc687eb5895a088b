#include "query/algorithm/phrase/phrase_check.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace pmdex {
namespace {

std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> MatcherOf(const BoundQuery& phrase) {
  if (phrase.slop == 0) return ExactPhraseMatcher(phrase.offsets);
  std::vector<std::string> texts;
  for (const BoundTerm& term : phrase.terms) texts.push_back(term.text);
  return SloppyPhraseMatcher(texts, phrase.offsets, phrase.slop);
}

bool HasRepeatedTerm(const BoundQuery& phrase) {
  std::set<std::string_view> texts;
  for (const BoundTerm& term : phrase.terms) texts.insert(term.text);
  return texts.size() < phrase.terms.size();
}

uint32_t LookUp(DocId doc, PostingWindows& term, uint32_t& posting) {
  if (posting == PhraseCheck::kUnknown) posting = term.Find(doc);
  return posting;
}

}  // namespace

PhraseCheck::PhraseCheck(const BoundQuery& phrase, std::vector<PhraseWord> words,
                         const QueryKernels& kernels)
    : kernels_(kernels),
      words_(std::move(words)),
      exact_(phrase.slop == 0),
      matcher_(MatcherOf(phrase)),
      runs_(words_.size()),
      positions_(words_.size()) {
  const bool is_sloppy = !exact_ && words_.size() > 1 && !HasRepeatedTerm(phrase);
  if (is_sloppy) sloppy_runs_.emplace(phrase.offsets, phrase.slop);
}

// kNotInPlace if the matcher must decide.
float PhraseCheck::CountInPlace(DocId doc, std::span<PostingWindows> terms,
                                std::span<uint32_t> postings) const {
  constexpr size_t kMostMatches = 2048;
  constexpr size_t kMore = 64;  // elements that the kernel may write behind the last one
  std::array<std::array<uint16_t, kMostMatches + kMore>, 2> buffers;
  PositionRun matched;
  for (size_t i = 0; i < words_.size(); ++i) {
    PostingWindows& term = terms[words_[i].term];
    const uint32_t posting = LookUp(doc, term, postings[words_[i].term]);
    if (posting == PostingWindows::kNoPosting) return 0;
    const PositionRun positions = term.list().PositionsInPlace(posting);
    if (positions.empty() || (i == 0 && positions.size() > kMostMatches)) {
      return kNotInPlace;
    }
    if (i == 0) {
      matched = positions;
      continue;
    }
    uint32_t begins[2] = {};
    uint16_t counts[2] = {static_cast<uint16_t>(matched.size()),
                          static_cast<uint16_t>(positions.size())};
    const RunArrays left{matched.data(), &begins[0], &counts[0]};
    const RunArrays right{positions.data(), &begins[1], &counts[1]};
    uint16_t* const matches = buffers[i % 2].data();
    const int32_t distance = words_[i].BehindOf(words_[0]);
    kernels_.match_runs(left, right, 1, distance, matches, left);
    if (counts[0] == 0) return 0;
    matched = PositionRun(matches, counts[0]);
  }
  return static_cast<float>(matched.size());
}

// Fills runs_, unless a term is absent or its positions do not lie in place.
PhraseCheck::Runs PhraseCheck::FindRuns(DocId doc, std::span<PostingWindows> terms,
                                        std::span<uint32_t> postings) {
  for (const PhraseWord& word : words_) {
    PostingWindows& term = terms[word.term];
    const uint32_t posting = LookUp(doc, term, postings[word.term]);
    if (posting == PostingWindows::kNoPosting) return Runs::kAbsent;
    runs_[word.number] = term.list().PositionsInPlace(posting);
    if (runs_[word.number].empty()) return Runs::kNotInPlace;
  }
  return Runs::kFound;
}

// As CountInPlace, for a phrase with slop.
float PhraseCheck::SloppyInPlace(DocId doc, std::span<PostingWindows> terms,
                                 std::span<uint32_t> postings) {
  const Runs runs = FindRuns(doc, terms, postings);
  if (runs == Runs::kFound) return sloppy_runs_->Frequency(runs_);
  return runs == Runs::kAbsent ? 0 : kNotInPlace;
}

absl::StatusOr<bool> PhraseCheck::Matches(DocId doc, std::span<PostingWindows> terms,
                                          std::span<uint32_t> postings) {
  if (sloppy_runs_.has_value()) {
    const Runs runs = FindRuns(doc, terms, postings);
    if (runs != Runs::kNotInPlace) return runs == Runs::kFound && sloppy_runs_->Matches(runs_);
  }
  PMDEX_ASSIGN_OR_RETURN(const float frequency, Frequency(doc, terms, postings));
  return frequency > 0;
}

absl::StatusOr<float> PhraseCheck::ByMatcher(DocId doc, std::span<PostingWindows> terms,
                                             std::span<uint32_t> postings) {
  for (const PhraseWord& word : words_) {
    PostingWindows& term = terms[word.term];
    const uint32_t posting = LookUp(doc, term, postings[word.term]);
    if (posting == PostingWindows::kNoPosting) return 0.0f;
    PMDEX_RETURN_IF_ERROR(term.list().ReadPositions(posting, positions_[word.number]));
  }
  return std::visit([this](auto& matcher) { return matcher.Frequency(positions_); }, matcher_);
}

}  // namespace pmdex
