#include "query/algorithm/term_leaf.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pmdex {
namespace {

void Raise(float& bound, float score) {
  bound = std::max({bound, score, std::numeric_limits<float>::min()});
}

void AddPostings(const PostingListView& list, const TermScorer& scorer,
                 std::vector<float>& bounds) {
  for (uint32_t i = 0; i < list.df; ++i) {
    const uint32_t window = list.docids[i] / kWindowDocs;
    if (window >= bounds.size()) continue;  // damage, found by whoever reads the window
    Raise(bounds[window], scorer.Score(static_cast<float>(list.Freq(i)), list.codes[i]));
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

std::vector<float> WindowBounds(const PostingListView& list, const TermScorer& scorer,
                                uint32_t doc_count, const QueryKernels& kernels) {
  std::vector<float> bounds(WindowCount(doc_count), 0.0f);
  if (bounds.empty()) return bounds;
  if (list.block_bounds.empty()) {
    AddPostings(list, scorer, bounds);
  } else {
    AddBlocks(list, scorer, kernels, bounds);
  }
  return bounds;
}

void TermLeaf::FillPassing(uint32_t window, float needed, WindowBits& bits) {
  if (needed <= 0) return postings_.Fill(window, bits);
  // A table for a little less will do, and lets a few more pass.
  constexpr float kSlack = 0.98f;
  if (table_needed_ > needed || table_needed_ < needed * kSlack) {
    table_needed_ = needed * (1 + kSlack) / 2;
    kernels_.least_freqs(scorer_, table_needed_, table_);
  }
  postings_.FillPassing(window, table_, kernels_, bits);
}

void TermLeaf::AddScores(uint32_t window, WindowSums& sums) {
  const PostingListView& list = postings_.list();
  const PostingWindows::Range range = postings_.Postings(window);
  if (list.is_inline) return Leaf::AddScores(window, sums);  // too short for vectors
  std::array<uint16_t, kWindowDocs> docs;
  postings_.Documents(window, docs.data());
  alignas(64) std::array<float, kBlockPostings> scores;
  for (uint32_t first = 0; first < range.size(); first += kBlockPostings) {
    const uint32_t count = std::min(kBlockPostings, range.size() - first);
    const uint32_t posting = range.begin + first;
    kernels_.score_postings(list.freqs + posting, list.codes + posting, count, scorer_,
                            escape_freq_, scores.data());
    for (uint32_t i = 0; i < count; ++i) sums.of[docs[first + i]] += scores[i];
  }
}

float TermLeaf::Score(DocId doc, float) {
  const uint32_t posting = postings_.Find(doc);
  if (posting == PostingWindows::kNoPosting) return kNoMatch;
  const PostingListView& list = postings_.list();
  return scorer_.Score(static_cast<float>(list.Freq(posting)), list.codes[posting]);
}

}  // namespace pmdex
