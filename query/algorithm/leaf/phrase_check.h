// How often a phrase occurs in a document. The positions of an exact phrase are compared where they
// lie, 16 bits each, the rarest term's first, and no term is looked at once nothing is left of the
// ones before; a phrase with slop, and postings whose positions need more than their entries
// (pages, escapes), go through the matchers. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "pmem/status.h"
#include "query/algorithm/leaf/phrase_window.h"
#include "query/algorithm/leaf/posting_windows.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/sloppy_phrase.h"
#include "query/kernel/kernels.h"
#include "query/planning/query_binder.h"

namespace pmdex {

class PhraseCheck {
 public:
  // slots: in the order in which to look at their terms; those are numbered as Frequency gets them.
  PhraseCheck(const BoundQuery& phrase, std::vector<PhraseSlot> slots, const QueryKernels& kernels);

  // 0: the document does not have the phrase. postings: of the document in each term's list, or
  // kUnknown, then looked up when needed and filled in. kDataLoss when positions are damaged.
  static constexpr uint32_t kUnknown = PostingWindows::kNoPosting - 1;
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
  std::vector<PhraseSlot> slots_;
  bool exact_;
  std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> matcher_;
  std::vector<std::vector<uint32_t>> positions_;  // by slot
};

}  // namespace pmdex
