// Finds how often one document has a phrase. It compares the positions where they lie in the
// segment, 16 bits each. For an exact phrase it begins with the rarest term, and stops at the first
// word without a match. A phrase with slop that repeats a term goes through the matchers, and so do
// postings whose positions do not lie in their entries alone (pages, escapes). One thread uses a
// PhraseCheck.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"
#include "query/algorithm/phrase/phrase_word.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/sloppy_phrase.h"
#include "query/cursor/sloppy_runs.h"
#include "query/kernel/kernels.h"
#include "query/planning/bound_query.h"

namespace pmdex {

class PhraseCheck {
 public:
  // The caller sets it where it does not know a document's posting.
  static constexpr uint32_t kUnknown = PostingWindows::kNoPosting - 1;

  // words: in the order in which to compare them. PhraseWord::term indexes the lists that Frequency
  // gets.
  PhraseCheck(const BoundQuery& phrase, std::vector<PhraseWord> words, const QueryKernels& kernels);

  // How often the document has the phrase; 0 if it does not. postings: the document's posting in
  // the list of each term, or kUnknown. Frequency looks up the postings that it needs and stores
  // them there. kDataLoss if positions are damaged.
  absl::StatusOr<float> Frequency(DocId doc, std::span<PostingWindows> terms,
                                  std::span<uint32_t> postings) {
    const float in_place = exact_                     ? CountInPlace(doc, terms, postings)
                           : sloppy_runs_.has_value() ? SloppyInPlace(doc, terms, postings)
                                                      : kNotInPlace;
    if (in_place != kNotInPlace) [[likely]]
      return in_place;
    return ByMatcher(doc, terms, postings);
  }
  // Whether the document has the phrase. Costs less than Frequency.
  absl::StatusOr<bool> Matches(DocId doc, std::span<PostingWindows> terms,
                               std::span<uint32_t> postings);
  // The upper bound of the phrase's frequency in a document that has one of its terms so often;
  // nullopt if that says nothing.
  std::optional<float> FrequencyBound(float term_frequency) const {
    if (exact_) return term_frequency;
    if (!sloppy_runs_.has_value()) return std::nullopt;
    return sloppy_runs_->FrequencyBound(term_frequency);
  }

 private:
  static constexpr float kNotInPlace = -1;

  float CountInPlace(DocId doc, std::span<PostingWindows> terms,
                     std::span<uint32_t> postings) const;
  float SloppyInPlace(DocId doc, std::span<PostingWindows> terms, std::span<uint32_t> postings);
  enum class Runs { kAbsent, kFound, kNotInPlace };
  Runs FindRuns(DocId doc, std::span<PostingWindows> terms, std::span<uint32_t> postings);
  absl::StatusOr<float> ByMatcher(DocId doc, std::span<PostingWindows> terms,
                                  std::span<uint32_t> postings);

  const QueryKernels& kernels_;
  std::vector<PhraseWord> words_;
  bool exact_;
  std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> matcher_;
  std::optional<SloppyRuns> sloppy_runs_;         // for slop and terms that are all different
  std::vector<PositionRun> runs_;                 // by PhraseWord::number
  std::vector<std::vector<uint32_t>> positions_;  // the same
};

}  // namespace pmdex
