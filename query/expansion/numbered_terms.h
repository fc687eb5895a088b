// The terms of one field of a dictionary by their numbers: term 0 is the first in byte order.
// Signatures of terms (term_signature.h) are searched by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/segment/dictionary/term_iterator.h"
#include "pmem/status.h"

namespace pmdex {

// The blocks [begin, end) of a field, counted from its first one.
struct BlockRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The blocks with terms that begin with `prefix`, and perhaps one more. kDataLoss if the dictionary
// is damaged.
absl::StatusOr<BlockRange> BlocksWith(std::string_view prefix, const TermDictionary& dictionary,
                                      FieldId field);

// Masks of blocks are read so many at a time.
inline constexpr size_t kMasksAtOnce = sizeof(uint64_t) / sizeof(uint16_t);
// The signatures of so many blocks, 16 KiB, are scanned at a time.
inline constexpr uint64_t kBlocksAtOnce = 256;
static_assert(kBlocksAtOnce % kMasksAtOnce == 0);

// Appends the numbers of the terms whose bits are set in the masks of `count` consecutive blocks.
// first: the number of the first block's first term. Writes zeros behind the masks up to a multiple
// of kMasksAtOnce.
void AppendNumbers(uint16_t* masks, size_t count, uint64_t first, std::vector<uint32_t>& numbers);

// Moves to terms by number. Ascending numbers cost least. For one thread; the dictionary must
// outlive it.
class NumberedTerms {
 public:
  NumberedTerms(const TermDictionary& dictionary, FieldId field) : terms_(dictionary, field) {}

  // Returns false if the field has no such term, or the dictionary is damaged.
  bool MoveTo(uint64_t number);
  // Stands on the term. Valid after MoveTo returned true.
  const TermIterator& terms() const { return terms_; }

 private:
  TermIterator terms_;
  // The number of the term behind the current one; 0: there is no current one.
  uint64_t behind_ = 0;
};

}  // namespace pmdex
