#include "query/expansion/terms_with_characters.h"

#include <algorithm>
#include <array>
#include <span>

#include "query/kernel/kernels.h"

namespace pmdex {

bool TermsWithCharacters::IsUseful(const TermDictionary& dictionary, std::string_view prefix,
                                   TermSignature classes) {
  return dictionary.has_signatures() && (classes & ~ClassesOf(prefix)) != 0;
}

TermsWithCharacters::TermsWithCharacters(const TermDictionary& dictionary, FieldId field,
                                         std::string_view prefix, TermSignature classes,
                                         DeadlineWatch& watch)
    : dictionary_(dictionary),
      field_(field),
      prefix_(prefix),
      classes_(classes),
      watch_(watch),
      terms_(dictionary, field) {
  absl::StatusOr<BlockRange> range = BlocksWith(prefix_, dictionary, field);
  if (range.ok()) left_ = *range;
  status_ = range.status();
}

// Scans the signatures of the next blocks. Returns false if there are none.
bool TermsWithCharacters::ScanMore() {
  constexpr uint64_t kWork = 64;
  if (!status_.ok() || left_.begin == left_.end || watch_.IsOver(kWork)) return false;
  const uint64_t count = std::min(kBlocksAtOnce, left_.end - left_.begin);
  const auto blocks = dictionary_.Signatures(field_, left_.begin, count);
  status_ = blocks.status();
  if (!status_.ok()) return false;
  std::array<uint16_t, kBlocksAtOnce> masks;
  BestQueryKernels().find_classes({blocks->data(), blocks->size(), classes_}, masks.data());
  numbers_.clear();
  next_ = 0;
  AppendNumbers(masks.data(), count, left_.begin * kTermsPerBlock, numbers_);
  left_.begin += count;
  return true;
}

bool TermsWithCharacters::Next() {
  constexpr uint64_t kWork = 8;
  while (true) {
    while (next_ == numbers_.size()) {
      if (!ScanMore()) return false;
    }
    if (watch_.IsOver(kWork)) return false;
    if (!terms_.MoveTo(numbers_[next_++])) {
      status_ = terms().status();
      return false;
    }
    // The first and the last block may have terms before and behind those of the prefix.
    if (terms().term().starts_with(prefix_)) return true;
  }
}

}  // namespace pmdex
