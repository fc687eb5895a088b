#include "query/algorithm/phrase/sloppy_window.h"

#include <algorithm>

namespace pmdex {

SloppyWindow::SloppyWindow(std::span<const PhraseWord> words, std::span<const uint32_t> offsets,
                           uint32_t slop, const QueryKernels& kernels)
    : words_(words.begin(), words.end()),
      slop_(slop),
      kernels_(kernels),
      runs_of_term_(kernels),
      sloppy_runs_(offsets, slop),
      runs_(words.size()),
      lanes_(words.size()) {
  for (WindowRuns::Lanes& lanes : lanes_) {
    of_word_.push_back({nullptr, lanes.begins.data(), lanes.counts.data(), nullptr});
  }
  of_word_[0].codes = codes_.data();
}

void SloppyWindow::Retain(uint32_t window, std::span<PostingWindows> terms, const LeastFreqs* least,
                          WindowBits& docs) {
  window_ = window;
  unknown_.Clear();
  without_.Clear();
  count_ = 0;
  docs.ForEach([this](uint32_t doc) {
    docs_[count_++] = static_cast<uint16_t>(doc);
    return true;
  });
  near_ = {nullptr, near_lanes_.begins.data(), near_lanes_.counts.data(), nullptr};
  runs_of_term_.Find(window, terms[words_[0].term], {docs_.data(), count_}, docs, of_word_[0]);
  for (size_t word = 1; word < words_.size() && count_ != 0; ++word) {
    if (word > 1) {
      docs.Clear();
      for (uint32_t i = 0; i < count_; ++i) docs.Set(docs_[i]);
    }
    runs_of_term_.Find(window, terms[words_[word].term], {docs_.data(), count_}, docs,
                       of_word_[word]);
    DropUnknown(word);
    FindNear(word);
    KeepNear(word, least);
  }
  docs = unknown_;
  for (uint32_t i = 0; i < count_; ++i) {
    docs.Set(docs_[i]);
    places_[docs_[i]] = static_cast<uint16_t>(i);
  }
}

// Moves a candidate to a place before it. word: the last one whose runs were found.
void SloppyWindow::Keep(uint32_t from, uint32_t to, size_t word) {
  docs_[to] = docs_[from];
  codes_[to] = codes_[from];
  for (size_t i = 0; i <= word; ++i) {
    of_word_[i].begins[to] = of_word_[i].begins[from];
    of_word_[i].counts[to] = of_word_[i].counts[from];
  }
  near_.begins[to] = near_.begins[from];
  near_.counts[to] = near_.counts[from];
}

// Drops the documents whose positions do not lie in place. Mostly there are none.
void SloppyWindow::DropUnknown(size_t word) {
  const RunArrays& first = of_word_[0];
  const RunArrays& last = of_word_[word];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    if (first.counts[i] == 0 || last.counts[i] == 0) {
      unknown_.Set(docs_[i]);
      continue;
    }
    if (kept != i) Keep(i, kept, word);
    ++kept;
  }
  count_ = kept;
}

void SloppyWindow::FindNear(size_t word) {
  const RunArrays& before = word == 1 ? of_word_[0] : near_;
  size_t most = WindowRuns::kMore;
  for (uint32_t i = 0; i < count_; ++i) most += before.counts[i];
  std::vector<uint16_t>& buffer = buffers_[word % 2];
  if (buffer.size() < most) buffer.resize(most);
  const int32_t distance = words_[word].BehindOf(words_[0]);
  kernels_.near_runs(before, of_word_[word], count_, distance, slop_, buffer.data(), near_);
  near_.base = buffer.data();
}

// Drops the documents with no near position left, or with too few.
void SloppyWindow::KeepNear(size_t word, const LeastFreqs* least) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const uint16_t least_count =
        least != nullptr ? std::max<uint16_t>(1, least->least[codes_[i]]) : 1;
    if (near_.counts[i] == 0) without_.Set(docs_[i]);
    if (near_.counts[i] < least_count) continue;
    if (kept != i) Keep(i, kept, word);
    ++kept;
  }
  count_ = kept;
}

void SloppyWindow::FindRuns(uint32_t place) {
  for (size_t i = 0; i < words_.size(); ++i) runs_[words_[i].number] = of_word_[i][place];
}

// Two words that are near each other match.
bool SloppyWindow::Matches(uint32_t place) {
  if (words_.size() == 2) return true;
  FindRuns(place);
  return sloppy_runs_.Matches(runs_, {words_[0].number, near_[place]});
}

float SloppyWindow::Frequency(uint32_t place) {
  FindRuns(place);
  return sloppy_runs_.Frequency(runs_);
}

// A match has one of the near positions, so that only these count in the bound by one word.
float SloppyWindow::FrequencyBound(uint32_t place) const {
  float sum = 0;
  for (const RunArrays& runs : of_word_) sum += runs.counts[place];
  return std::min(sum, sloppy_runs_.FrequencyBound(near_.counts[place]));
}

}  // namespace pmdex
