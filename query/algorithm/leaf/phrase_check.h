// Finds how often one document has a phrase. It compares the positions of an exact phrase where
// they lie in the segment, 16 bits each, beginning with the rarest term, and stops at the first
// word without a match. A phrase with slop goes through the matchers, and so do postings whose
// positions do not lie in their entries alone (pages, escapes). One thread uses a PhraseCheck.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"
#include "query/algorithm/leaf/phrase_word.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/sloppy_phrase.h"
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
    const int in_place = exact_ ? CountInPlace(doc, terms, postings) : -1;
    if (in_place >= 0) [[likely]]
      return static_cast<float>(in_place);
    return ByMatcher(doc, terms, postings);
  }

 private:
  int CountInPlace(DocId doc, std::span<PostingWindows> terms, std::span<uint32_t> postings) const;
  absl::StatusOr<float> ByMatcher(DocId doc, std::span<PostingWindows> terms,
                                  std::span<uint32_t> postings);

  const QueryKernels& kernels_;
  std::vector<PhraseWord> words_;
  bool exact_;
  std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> matcher_;
  std::vector<std::vector<uint32_t>> positions_;  // by PhraseWord::number
};

}  // namespace pmdex
