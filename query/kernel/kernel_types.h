// What the kernels of query/kernel/kernels.h take and give. Plain values and views.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace pmdex {

// least[code]: a posting with this length code and a frequency below least[code] does not reach the
// score. 255 lets postings pass whose frequency is kFreqEscape, whatever it stands for.
struct alignas(64) LeastFreqs {
  std::array<uint8_t, 256> least{};
};

// of[code]: no document of this length code scores higher.
struct alignas(64) LengthBounds {
  std::array<float, 256> of;
};

// The positions of one posting in the posting list: ascending, at most 65534 of them.
using PositionRun = std::span<const uint16_t>;

// The runs of many postings, as arrays. Run i is the counts[i] positions from base[begins[i]] on; a
// count of 0 means that the run is not known. A function that writes runs may write 32 elements
// beyond the last one of each array.
struct RunArrays {
  const uint16_t* base = nullptr;
  uint32_t* begins = nullptr;
  uint16_t* counts = nullptr;
  uint8_t* codes = nullptr;  // the length codes of the documents; nullptr if the caller needs none

  PositionRun operator[](uint32_t i) const { return {base + begins[i], counts[i]}; }
  void Set(uint32_t i, PositionRun run) const {
    begins[i] = run.empty() ? 0 : static_cast<uint32_t>(run.data() - base);
    counts[i] = static_cast<uint16_t>(run.size());
  }
};

}  // namespace pmdex
