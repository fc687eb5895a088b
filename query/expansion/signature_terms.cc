#include "query/expansion/signature_terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "engine/segment/dictionary/term_dictionary.h"
#include "query/kernel/kernels.h"

namespace pmdex {

absl::Status SignatureTerms::Scan(std::string_view word, std::string_view prefix) {
  PMDEX_ASSIGN_OR_RETURN(const BlockRange range, BlocksWith(prefix, dictionary_, field_));
  const QueryKernels& kernels = BestQueryKernels();
  const TermSignature signature = SignatureOf(word);
  std::array<uint16_t, kBlocksAtOnce> near;
  std::array<uint16_t, kBlocksAtOnce> far;
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
}

bool SignatureTerms::Next() {
  constexpr uint64_t kWork = 16;
  while (next_ < set_->size() && !watch_.IsOver(kWork)) {
    // A signature behind a field's last term can be a candidate.
    if (!terms_.MoveTo((*set_)[next_++])) return false;
    const std::optional<uint32_t> distance = automaton_.DistanceOf(term());
    if (!distance.has_value()) continue;
    distance_ = *distance;
    return true;
  }
  return false;
}

}  // namespace pmdex
