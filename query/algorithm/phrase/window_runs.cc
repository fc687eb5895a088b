#include "query/algorithm/phrase/window_runs.h"

#include <algorithm>
#include <bit>

#include "pmem/prefetch.h"

namespace pmdex {

void WindowRuns::Find(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
                      const WindowBits& candidates, RunArrays& out) {
  constexpr uint32_t kSelectedPerLookUp = 16;  // postings that pass while one is looked up
  constexpr uint32_t kSetUpLookUps = 16;       // that the set-up of a selection costs
  out.base = term.list().positions.data();
  const uint32_t postings = term.Postings(window).size();
  if (term.list().is_inline) {
    std::fill_n(out.counts, docs.size(), uint16_t{0});
  } else if (docs.size() < kSetUpLookUps + postings / kSelectedPerLookUp) {
    FindFew(window, term, docs, out);
  } else {
    FindMany(window, term, docs, candidates, out);
  }
}

// Looks up one posting after the other, so that only what is needed is verified and read.
// Prefetches the memory of all of them first.
void WindowRuns::FindFew(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
                         const RunArrays& out) {
  const PostingListView& list = term.list();
  const auto count = static_cast<uint32_t>(docs.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t posting = term.Find(window * kWindowDocs + docs[i]);
    postings_[i] = posting;
    if (posting == PostingWindows::kNoPosting) continue;
    list.Load(posting, posting + 1);
    PrefetchLine(list.freqs + posting);
    PrefetchLine(list.groups + posting / kPositionGroup);
  }
  kernels_.find_runs(list, postings_.data(), count, out);
  for (uint32_t i = 0; i < count; ++i) {
    if (!list.VerifyEntries(out[i])) out.counts[i] = 0;
    PrefetchLine(out.base + out.begins[i]);
  }
}

void WindowRuns::FindMany(uint32_t window, PostingWindows& term, std::span<const uint16_t> docs,
                          const WindowBits& candidates, const RunArrays& out) {
  const PostingListView& list = term.list();
  const PostingWindows::Range range = term.Postings(window);
  uint64_t mask[kWindowWords + 1];
  const uint32_t bits = term.Select(window, candidates, kernels_, mask);
  uint32_t selected = 0;
  for (const uint64_t word : mask) selected += static_cast<uint32_t>(std::popcount(word));
  const uint32_t first = term.FirstSelected(window);
  if (bits != 0 && selected == docs.size() &&
      list.VerifyPositions(range.begin, range.end, first, mask)) {
    kernels_.select_runs(list, first, mask, bits, out);
  } else {
    std::fill_n(out.counts, docs.size(), uint16_t{0});
  }
}

}  // namespace pmdex
