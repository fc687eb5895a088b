// Finds where the positions of a term lie in many documents of a window.
//
// It holds memory for one search at a time. For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "query/algorithm/postings/posting_windows.h"
#include "query/kernel/kernels.h"

namespace pmdex {

class WindowRuns {
 public:
  // The memory of the runs of a window's documents. Kernels may write kMore elements behind the
  // last one.
  static constexpr size_t kMore = 64;
  struct Lanes {
    std::array<uint32_t, kWindowDocs + kMore> begins;
    std::array<uint16_t, kWindowDocs + kMore> counts;
  };

  explicit WindowRuns(const QueryKernels& kernels) : kernels_(kernels) {}

  // out: run i is the positions of the term in document docs[i] of the window, and begins at
  // out.base, which this sets. The run is empty if the positions do not lie in place. docs:
  // ascending, documents of the term. candidates: the same documents as bits.
  void Find(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
            const WindowBits& candidates, RunArrays& out);

 private:
  void FindFew(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
               const RunArrays& out);
  void FindMany(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
                const WindowBits& candidates, const RunArrays& out);

  const QueryKernels& kernels_;
  std::array<uint32_t, kWindowDocs> postings_;  // of FindFew
};

}  // namespace pmdex
