#include "query/algorithm/leaf/term_leaf.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pmdex {
namespace {

void Raise(float& bound, float score) {
  bound = std::max({bound, score, std::numeric_limits<float>::min()});
}

void AddInline(const PostingListView& list, const TermScorer& scorer, std::vector<float>& bounds) {
  for (uint32_t i = 0; i < list.df; ++i) {
    const uint32_t window = list.docids[i] / kWindowDocs;
    if (window >= bounds.size()) continue;  // damage, found by whoever reads the window
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

void TermLeaf::FillPassing(uint32_t window, float needed, WindowBits& bits) {
  if (needed <= 0) return postings_.Fill(window, bits);
  // A table for a little less will do, and lets a few more pass: of few postings so few that it
  // costs less to look at them.
  constexpr uint32_t kFew = 512;
  const float slack = postings_.Postings(window).size() < kFew ? 0.85f : 0.93f;
  if (table_needed_ > needed || table_needed_ < needed * slack) {
    table_needed_ = needed * (1 + slack) / 2;
    kernels_.least_freqs(scorer_, table_needed_, table_);
  }
  postings_.FillPassing(window, table_, TableOrder::kAscending, kernels_, bits);
}

void TermLeaf::FillPassing(uint32_t window, float needed, const LengthBounds& others,
                           WindowBits& bits) {
  LeastFreqs table;
  kernels_.least_freqs_beside(scorer_, needed, others, table);
  postings_.FillPassing(window, table, TableOrder::kAny, kernels_, bits);
}

void TermLeaf::BoundByLength(uint32_t window, LengthBounds& bounds) {
  const PostingListView& list = postings_.list();
  const PostingWindows::Range range = postings_.Postings(window);
  if (list.block_bounds.empty() || range.size() == 0) {
    return kernels_.length_bounds(&list.bounds, 1, scorer_, escape_freq_, bounds);
  }
  const uint32_t first = range.begin / kBlockPostings;
  const uint32_t last = (range.end - 1) / kBlockPostings;
  kernels_.length_bounds(&list.block_bounds[first], last - first + 1, scorer_, escape_freq_,
                         bounds);
}

void TermLeaf::AddScores(uint32_t window, WindowSums& sums) {
  const PostingListView& list = postings_.list();
  if (list.is_inline) return Leaf::AddScores(window, sums);  // too short for vectors
  const PostingWindows::Range range = postings_.Postings(window);
  alignas(64) std::array<float, kWindowDocs + 16> scores;
  kernels_.score_postings(list.freqs + range.begin, list.codes + range.begin, range.size(), scorer_,
                          escape_freq_, scores.data());
  if (postings_.is_bitset()) {
    kernels_.add_scores(postings_.Members(window), scores.data(), sums);
  } else {
    postings_.AddScores(window, scores.data(), sums);
  }
}

void TermLeaf::ScoreDocs(std::span<const DocId> docs, const BatchLane&, BatchLane& scores) {
  std::array<uint32_t, kBatch> found, postings;
  postings_.FindAll(docs, found);
  for (size_t i = 0; i < docs.size(); ++i) {
    postings[i] = found[i] != PostingWindows::kNoPosting ? found[i] : 0;
  }
  ScorePostings({postings.data(), docs.size()}, scores);
  for (size_t i = 0; i < docs.size(); ++i) {
    scores[i] = found[i] != PostingWindows::kNoPosting ? scores[i] : kNoMatch;
  }
}

void TermLeaf::ScorePostings(std::span<const uint32_t> postings, BatchLane& scores) const {
  const PostingListView& list = postings_.list();
  alignas(64) std::array<uint8_t, kBatch> freqs{}, codes{};
  bool escapes = false;
  for (size_t i = 0; i < postings.size(); ++i) {
    freqs[i] = list.freqs[postings[i]];
    codes[i] = list.codes[postings[i]];
    escapes |= freqs[i] == kFreqEscape;
  }
  kernels_.score_postings(freqs.data(), codes.data(), static_cast<uint32_t>(postings.size()),
                          scorer_, escape_freq_, scores.data());
  for (size_t i = 0; escapes && i < postings.size(); ++i) {
    if (freqs[i] != kFreqEscape) continue;
    scores[i] = scorer_.Score(static_cast<float>(list.Freq(postings[i])), codes[i]);
  }
}

}  // namespace pmdex
