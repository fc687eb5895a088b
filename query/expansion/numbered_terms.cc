#include "query/expansion/numbered_terms.h"

#include <bit>
#include <cstring>
#include <string>

#include "engine/segment/format.h"

namespace pmdex {

absl::StatusOr<BlockRange> BlocksWith(std::string_view prefix, const TermDictionary& dictionary,
                                      FieldId field) {
  BlockRange range{0, dictionary.term_block_count(field)};
  TermIterator terms(dictionary, field);
  if (!prefix.empty() && !terms.Seek(prefix)) {
    PMDEX_RETURN_IF_ERROR(terms.status());
    return BlockRange();
  }
  if (!prefix.empty()) range.begin = terms.block();
  std::string behind(prefix);
  while (!behind.empty() && behind.back() == '\xff') behind.pop_back();
  if (behind.empty()) return range;
  ++behind.back();  // the least string behind all that begin with the prefix
  if (terms.Seek(behind)) range.end = terms.block() + 1;
  PMDEX_RETURN_IF_ERROR(terms.status());
  return range;
}

void AppendNumbers(uint16_t* masks, size_t count, uint64_t first, std::vector<uint32_t>& numbers) {
  for (size_t i = count; i % kMasksAtOnce != 0; ++i) masks[i] = 0;
  for (size_t i = 0; i < count; i += kMasksAtOnce) {
    uint64_t bits = 0;  // of consecutive terms, as a mask has kTermsPerBlock bits
    std::memcpy(&bits, masks + i, sizeof(bits));
    for (; bits != 0; bits &= bits - 1) {
      const uint64_t index = i * kTermsPerBlock + static_cast<uint64_t>(std::countr_zero(bits));
      numbers.push_back(static_cast<uint32_t>(first + index));
    }
  }
}

// Begins at the head of the term's block, or goes on in it.
bool NumberedTerms::MoveTo(uint64_t number) {
  const uint64_t head = number / kTermsPerBlock * kTermsPerBlock;
  if (behind_ <= head || behind_ > number) {
    if (!terms_.SeekBlock(number / kTermsPerBlock)) return false;
    behind_ = head + 1;
  }
  for (; behind_ <= number; ++behind_) {
    if (!terms_.Next()) return false;
  }
  return true;
}

}  // namespace pmdex
