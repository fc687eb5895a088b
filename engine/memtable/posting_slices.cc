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
void PostingSlices::AppendSlowly(SliceChain& chain, uint32_t value) {
  for (bool more = true; more;) {
    more = value >= 0x80;
    if (chain.left == 0) Extend(chain);
    *chain.next = static_cast<uint8_t>(more ? value | 0x80 : value);
    Advance(chain, 1);
    value >>= 7;
  }
}

size_t SliceReader::Read(std::span<uint8_t> bytes) {
  size_t read = 0;
  while (read < bytes.size()) {
    if (next_ == end_) {
      if (next_slice_ == 0) break;
      NextSlice();
    }
    const size_t count = std::min(static_cast<size_t>(end_ - next_), bytes.size() - read);
    std::memcpy(bytes.data() + read, next_, count);
    next_ += count;
    read += count;
  }
  return read;
}

void SliceReader::NextSlice() {
  payload_ = payload_ == 0 ? slices_->first_payload() : PostingSlices::NextPayload(payload_);
  next_ = slices_->arena().At(next_slice_);
  end_ = next_ + payload_;
  std::memcpy(&next_slice_, end_, sizeof(next_slice_));
  if (next_slice_ == 0) {
    end_ = chain_end_;
    return;
  }
  slices_->PrefetchSlice(next_slice_, PostingSlices::NextPayload(payload_));
}

void SlicePrefetch::Start(const PostingSlices& slices, const SliceChain& chain) {
  slice_ = chain.head;
  payload_ = slices.first_payload();
  if (slice_ != 0) slices.PrefetchSlice(slice_, payload_);
}

void SlicePrefetch::Step(const PostingSlices& slices) {
  if (slice_ == 0) return;
  std::memcpy(&slice_, slices.arena().At(slice_) + payload_, sizeof(slice_));
  payload_ = PostingSlices::NextPayload(payload_);
  if (slice_ != 0) slices.PrefetchSlice(slice_, payload_);
}

}  // namespace pmdex
