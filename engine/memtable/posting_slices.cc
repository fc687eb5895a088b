#include "engine/memtable/posting_slices.h"

namespace pmdex {

void PostingSlices::Extend(SliceChain& chain) {
  const uint16_t payload = chain.head == 0 ? first_payload() : NextPayload(chain.payload);
  const Arena::Handle slice = arena_.Allocate(size_t{payload} + kLinkBytes);
  uint8_t* const begin = arena_.At(slice);
  std::memset(begin + payload, 0, kLinkBytes);
  if (chain.head == 0) {
    chain.head = slice;
  } else {
    std::memcpy(chain.next, &slice, kLinkBytes);
  }
  chain.next = begin;
  chain.left = chain.payload = payload;
}

// A value may be split between two slices.
void PostingSlices::AppendSlowly(SliceChain& chain, uint64_t value) {
  for (bool more = true; more;) {
    more = value >= 0x80;
    if (chain.left == 0) Extend(chain);
    *chain.next = static_cast<uint8_t>(more ? value | 0x80 : value);
    Advance(chain, 1);
    value >>= 7;
  }
}

uint64_t SliceReader::ReadSlowly() {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    if (next_ == end_) NextSlice();
    const uint8_t byte = *next_++;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void SliceReader::NextSlice() {
  PMDEX_DCHECK(next_slice_ != 0);
  payload_ = payload_ == 0 ? slices_->first_payload() : PostingSlices::NextPayload(payload_);
  next_ = slices_->arena().At(next_slice_);
  end_ = next_ + payload_;
  std::memcpy(&next_slice_, end_, sizeof(next_slice_));
  if (next_slice_ != 0) PrefetchLine(slices_->arena().At(next_slice_));
}

}  // namespace pmdex
