#include "query/algorithm/leaf/term_postings.h"

#include <algorithm>
#include <array>

namespace pmdex {

void TermPostings::FillCompetitive(uint32_t window, float min_score, WindowBits& bits) {
  if (min_score <= 0) return windows_.Fill(window, bits);
  // In a short run a table is used again for a minimum score up to 1 / kReuse times its own. It
  // lets a few more documents pass, which costs less than to make a new table.
  constexpr uint32_t kShortRunPostings = 256;
  constexpr float kReuse = 0.9f;
  const float reuse = windows_.Postings(window).size() < kShortRunPostings ? kReuse : 1;
  if (table_ == nullptr) table_ = std::make_unique<LeastFreqs>();
  if (table_min_score_ > min_score || table_min_score_ < min_score * reuse) {
    table_min_score_ = min_score;
    kernels_.least_freqs(scorer_, table_min_score_, *table_);
  }
  windows_.FillFiltered(window, *table_, TableOrder::kAscending, kernels_, bits);
}

void TermPostings::FillCompetitiveBeside(uint32_t window, float min_score,
                                         const LengthBounds& others, WindowBits& bits) {
  LeastFreqs table;
  kernels_.least_freqs_beside(scorer_, min_score, others, table);
  windows_.FillFiltered(window, table, TableOrder::kAny, kernels_, bits);
}

void TermPostings::BoundByLength(uint32_t window, LengthBounds& bounds) {
  const PostingListView& list = windows_.list();
  const PostingWindows::Range range = windows_.Postings(window);
  if (list.block_bounds.empty() || range.size() == 0) {
    return kernels_.length_bounds(&list.bounds, 1, scorer_, escape_freq_, bounds);
  }
  const uint32_t first = range.begin / kBlockPostings;
  const uint32_t last = (range.end - 1) / kBlockPostings;
  kernels_.length_bounds(&list.block_bounds[first], last - first + 1, scorer_, escape_freq_,
                         bounds);
}

// The scores of the window's postings, and upper bounds of those whose frequency is an escape.
void TermPostings::ComputeScores(uint32_t window, Scores& scores) {
  const PostingListView& list = windows_.list();
  const PostingWindows::Range range = windows_.Postings(window);
  list.Load(range.begin, range.end);
  const uint8_t* freqs = list.freqs + range.begin;
  const uint8_t* codes = list.codes + range.begin;
  if (!list.is_inline) {
    kernels_.score_postings(freqs, codes, range.size(), scorer_, escape_freq_, scores.data());
    return;
  }
  for (uint32_t i = 0; i < range.size(); ++i) {  // the arrays are too short for vectors
    scores[i] = scorer_.Score(static_cast<float>(freqs[i]), codes[i]);
  }
}

void TermPostings::AddScores(uint32_t window, WindowTotals& totals) {
  const PostingListView& list = windows_.list();
  const PostingWindows::Range range = windows_.Postings(window);
  alignas(64) Scores scores;
  ComputeScores(window, scores);
  for (uint32_t i = range.begin; !list.overflow.empty() && i < range.end; ++i) {
    if (list.freqs[i] != kFreqEscape) continue;
    scores[i - range.begin] = scorer_.Score(static_cast<float>(list.Freq(i)), list.codes[i]);
  }
  if (windows_.is_bitset()) {
    kernels_.add_to_totals(windows_.Members(window), scores.data(), totals);
  } else {
    windows_.AddScores(window, scores.data(), totals);
  }
}

void TermPostings::AddScores(uint32_t window, WindowSums& sums) {
  alignas(64) Scores scores;
  ComputeScores(window, scores);
  if (windows_.is_bitset()) {
    kernels_.add_scores(windows_.Members(window), scores.data(), sums);
  } else {
    windows_.AddScores(window, scores.data(), sums);
  }
}

void TermPostings::ScorePostings(std::span<const uint32_t> postings,
                                 Leaf::ScoreArray& scores) const {
  const PostingListView& list = windows_.list();
  for (const uint32_t posting : postings) list.Load(posting, posting + 1);
  alignas(64) std::array<uint8_t, Leaf::kBatch> freqs{}, codes{};
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
