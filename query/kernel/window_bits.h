// Sets and scores of the documents of one window. Windows divide the documents of a segment into
// runs of kWindowDocs, from document 0 on. So the sets of different posting lists can be combined
// word by word. Document d has bit d % kWindowDocs. A window is small enough to stay in the L1
// cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/segment/format.h"
#include "engine/segment/live_docs.h"

namespace pmdex {

inline constexpr uint32_t kWindowDocs = 4096;
inline constexpr size_t kWindowWords = kWindowDocs / 64;

constexpr uint32_t WindowCount(uint32_t doc_count) {
  return doc_count / kWindowDocs + (doc_count % kWindowDocs != 0 ? 1 : 0);
}

struct alignas(64) WindowBits {
  std::array<uint64_t, kWindowWords> words{};

  void Set(uint32_t doc) { words[doc / 64] |= uint64_t{1} << (doc % 64); }  // doc < kWindowDocs
  void Clear() { words.fill(0); }
  void And(const WindowBits& other) {
    for (size_t i = 0; i < kWindowWords; ++i) words[i] &= other.words[i];
  }
  void AndNot(const WindowBits& other) {
    for (size_t i = 0; i < kWindowWords; ++i) words[i] &= ~other.words[i];
  }
  void Or(const WindowBits& other) {
    for (size_t i = 0; i < kWindowWords; ++i) words[i] |= other.words[i];
  }
  uint32_t Count() const {
    uint64_t count = 0;
    for (const uint64_t word : words) count += static_cast<uint64_t>(std::popcount(word));
    return static_cast<uint32_t>(count);
  }
  // Calls f(d) for every member in ascending order until f returns false. d: the document's number
  // in the window.
  template <typename F>
  void ForEach(F f) const {
    constexpr uint32_t kLine = 8;  // in words; in a sparse set most lines are empty and skipped
    for (uint32_t line = 0; line < kWindowWords; line += kLine) {
      uint64_t any = 0;
      for (uint32_t i = line; i < line + kLine; ++i) any |= words[i];
      for (uint32_t i = line; any != 0 && i < line + kLine; ++i) {
        for (uint64_t word = words[i]; word != 0; word &= word - 1) {
          if (!f(i * 64 + static_cast<uint32_t>(std::countr_zero(word)))) return;
        }
      }
    }
  }
};

// Removes the deleted documents of the window from `bits`. live_docs: of the segment; nullptr if no
// document is deleted. Requires window < WindowCount of the segment.
inline void RetainLive(const LiveDocs* live_docs, uint32_t window, WindowBits& bits) {
  if (live_docs == nullptr) return;
  const std::span<const uint64_t> live = live_docs->words().subspan(size_t{window} * kWindowWords);
  const size_t count = std::min(kWindowWords, live.size());
  for (size_t i = 0; i < count; ++i) bits.words[i] &= live[i];
}

// The score sum of every document of a window, in single precision: near the score.
struct alignas(64) WindowSums {
  std::array<float, kWindowDocs> of;
};

// The same in double precision, in which scores are added.
struct alignas(64) WindowTotals {
  std::array<double, kWindowDocs> of;
};

}  // namespace pmdex
