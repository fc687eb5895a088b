#include "engine/memtable/posting_slices.h"

namespace pmdex::slices_internal {

void Extend(Arena& arena, SliceChain& chain) {
  const uint16_t payload = NextPayload(chain.payload);
  const Arena::Handle slice = arena.Allocate(size_t{payload} + kLinkBytes);
  std::memset(arena.At(slice) + payload, 0, kLinkBytes);
  if (chain.head == 0) {
    chain.head = slice;
  } else {
    std::memcpy(arena.At(chain.tail) + chain.payload, &slice, kLinkBytes);
  }
  chain.tail = slice;
  chain.payload = payload;
  chain.used = 0;
}

// A value may be split between two slices.
void AppendSlowly(Arena& arena, SliceChain& chain, uint32_t value) {
  for (bool more = true; more;) {
    more = value >= 0x80;
    if (chain.used == chain.payload) Extend(arena, chain);
    arena.At(chain.tail)[chain.used++] = static_cast<uint8_t>(more ? value | 0x80 : value);
    value >>= 7;
  }
}

}  // namespace pmdex::slices_internal
