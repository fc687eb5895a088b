#include "query/expansion/signature_terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "engine/segment/dictionary/term_dictionary.h"
#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

constexpr size_t kMasksAtOnce = sizeof(uint64_t) / sizeof(uint16_t);

// Appends the numbers of the terms whose bits are set in the masks of `count` blocks. first: the
// number of the first term. Writes zeros behind the masks up to a multiple of kMasksAtOnce.
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

struct BlockRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The blocks with terms that begin with `prefix`, and perhaps one more. If the iterator's status is
// not OK, they mean nothing.
BlockRange BlocksWith(std::string_view prefix, uint64_t block_count, TermIterator& terms) {
  BlockRange range{0, block_count};
  if (prefix.empty()) return range;
  if (!terms.Seek(prefix)) return {};
  range.begin = terms.block();
  std::string behind(prefix);
  if (behind.back() == '\xff') return range;
  ++behind.back();
  if (terms.Seek(behind)) range.end = terms.block() + 1;
  return range;
}

}  // namespace

absl::Status SignatureTerms::Scan(std::string_view word, std::string_view prefix) {
  const BlockRange range = BlocksWith(prefix, dictionary_.term_block_count(field_), terms_);
  PMDEX_RETURN_IF_ERROR(terms_.status());
  const QueryKernels& kernels = BestQueryKernels();
  const TermSignature signature = SignatureOf(word);
  std::array<uint16_t, kBlocksAtOnce> near;
  std::array<uint16_t, kBlocksAtOnce> far;
  static_assert(kBlocksAtOnce % kMasksAtOnce == 0);
  for (uint64_t first = range.begin; first < range.end; first += kBlocksAtOnce) {
    constexpr uint64_t kWork = 64;
    if (watch_.IsOver(kWork)) break;
    const uint64_t count = std::min(kBlocksAtOnce, range.end - first);
    PMDEX_ASSIGN_OR_RETURN(const std::span<const BlockSignatures> blocks,
                           dictionary_.Signatures(field_, first, count));
    kernels.scan_signatures({blocks.data(), blocks.size(), signature}, near.data(), far.data());
    AppendNumbers(near.data(), count, first * kTermsPerBlock, near_);
    AppendNumbers(far.data(), count, first * kTermsPerBlock, far_);
  }
  return absl::OkStatus();
}

void SignatureTerms::Start(Candidates set) {
  set_ = set == Candidates::kNear ? &near_ : &far_;
  next_ = 0;
  behind_ = 0;
}

// Moves to the term of this number. Begins at the head of its block, or goes on in it.
bool SignatureTerms::MoveTo(uint64_t number) {
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

bool SignatureTerms::Next() {
  constexpr uint64_t kWork = 16;
  while (next_ < set_->size() && !watch_.IsOver(kWork)) {
    // A signature behind a field's last term can be a candidate.
    if (!MoveTo((*set_)[next_++])) return false;
    const std::optional<uint32_t> distance = automaton_.DistanceOf(terms_.term());
    if (!distance.has_value()) continue;
    distance_ = *distance;
    return true;
  }
  return false;
}

}  // namespace pmdex
