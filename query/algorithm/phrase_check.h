// How often a phrase occurs in a document that has all its terms. The positions of an exact phrase
// are compared where they lie, 16 bits each, the rarest term's first; a phrase with slop, and
// postings whose positions need more than their entries (pages, escapes), go through the matchers.
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/segment/posting_list.h"
#include "pmem/status.h"
#include "query/exact_phrase.h"
#include "query/kernel/kernels.h"
#include "query/planner.h"
#include "query/sloppy_phrase.h"

namespace pmdex {

class PhraseCheck {
 public:
  // slots: for each list that Frequency gets, which slot of the phrase it is of.
  PhraseCheck(const BoundQuery& phrase, std::vector<uint32_t> slots, const QueryKernels& kernels);

  // lists[i], postings[i]: where the document stands. 0: it does not have the phrase. kDataLoss
  // when positions are damaged.
  struct Term {
    const PostingListView* list = nullptr;
    uint32_t posting = 0;
  };
  absl::StatusOr<float> Frequency(std::span<const Term> terms);

 private:
  absl::StatusOr<float> ByMatcher(std::span<const Term> terms);

  const QueryKernels& kernels_;
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> offsets_;  // by list
  bool exact_;
  std::variant<ExactPhraseMatcher, SloppyPhraseMatcher> matcher_;
  std::vector<std::vector<uint32_t>> positions_;  // by slot
  std::vector<uint16_t> starts_;
};

}  // namespace pmdex
