#include "query/algorithm/postings/list_bounds.h"

#include <algorithm>
#include <array>
#include <limits>

#include "query/kernel/window_bits.h"

namespace pmdex {
namespace {

void Raise(float& bound, float score) {
  bound = std::max({bound, score, std::numeric_limits<float>::min()});
}

void AddInline(const PostingListView& list, const TermScorer& scorer, std::vector<float>& bounds) {
  for (uint32_t i = 0; i < list.df; ++i) {
    const uint32_t window = list.docids[i] / kWindowDocs;
    if (window >= bounds.size()) continue;  // damage: reading the window reports it
    Raise(bounds[window], scorer.Score(static_cast<float>(list.Freq(i)), list.codes[i]));
  }
}

void AddPostings(const PostingListView& list, const TermScorer& scorer, const QueryKernels& kernels,
                 std::vector<float>& bounds) {
  alignas(64) std::array<float, kBlockPostings> scores;
  const uint32_t count = std::min(list.df, kBlockPostings);
  kernels.score_postings(list.freqs, list.codes, count, scorer, EscapeFreq(list), scores.data());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t window = list.docids[i] / kWindowDocs;
    if (window < bounds.size()) Raise(bounds[window], scores[i]);
  }
}

void AddBlocks(const PostingListView& list, const TermScorer& scorer, const QueryKernels& kernels,
               std::vector<float>& bounds) {
  constexpr uint32_t kChunk = 256;
  float scores[kChunk];
  const float escape_freq = EscapeFreq(list);
  const auto blocks = static_cast<uint32_t>(list.block_bounds.size());
  uint32_t first_window = 0;
  for (uint32_t begin = 0; begin < blocks; begin += kChunk) {
    const uint32_t count = std::min(kChunk, blocks - begin);
    kernels.block_bounds(list.block_bounds.data() + begin, count, scorer, escape_freq, scores);
    for (uint32_t i = 0; i < count; ++i) {
      const DocId last_doc = list.block_last_docs[begin + i];
      const uint32_t last_window =
          std::min(last_doc / kWindowDocs, static_cast<uint32_t>(bounds.size() - 1));
      for (uint32_t window = first_window; window <= last_window; ++window) {
        Raise(bounds[window], scores[i]);
      }
      first_window = (last_doc + 1) / kWindowDocs;
    }
  }
}

}  // namespace

float EscapeFreq(const PostingListView& list) {
  uint32_t freq = kFreqEscape;
  for (const OverflowEntry& entry : list.overflow) freq = std::max(freq, entry.freq);
  return static_cast<float>(freq);
}

float ListBound(const PostingListView& list, const TermScorer& scorer,
                const QueryKernels& kernels) {
  float bound = 0;
  kernels.block_bounds(&list.bounds, 1, scorer, EscapeFreq(list), &bound);
  return std::max(bound, std::numeric_limits<float>::min());
}

std::vector<float> WindowBounds(const PostingListView& list, const TermScorer& scorer,
                                uint32_t doc_count, const QueryKernels& kernels) {
  std::vector<float> bounds(WindowCount(doc_count), 0.0f);
  if (bounds.empty()) return bounds;
  if (list.is_inline) {
    AddInline(list, scorer, bounds);
  } else if (list.block_bounds.empty()) {
    AddPostings(list, scorer, kernels, bounds);
  } else {
    AddBlocks(list, scorer, kernels, bounds);
  }
  return bounds;
}

}  // namespace pmdex
