#include "query/algorithm/phrase/phrase_window.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "pmem/prefetch.h"

namespace pmdex {
namespace {

void Add(const uint16_t* docs, uint32_t count, WindowBits& bits) {
  for (uint32_t i = 0; i < count; ++i) bits.Set(docs[i]);
}

}  // namespace

void PhraseWindow::Retain(uint32_t window, std::span<PostingWindows> terms, const LeastFreqs* least,
                          WindowBits& docs) {
  window_ = window;
  frequencies_.fill(kUnknown);
  unknown_.Clear();
  count_ = 0;
  docs.ForEach([this](uint32_t doc) {
    docs_[count_++] = static_cast<uint16_t>(doc);
    return true;
  });
  matched_ = {nullptr, matched_begins_.data(), matched_counts_.data(), doc_codes_.data()};
  runs_ = {nullptr, begins_.data(), counts_.data(), nullptr};
  WindowBits candidates = std::exchange(docs, WindowBits());
  FindRuns(terms[words_[0].term], candidates, matched_);
  for (size_t word = 1; word < words_.size() && count_ != 0; ++word) {
    if (word > 1) {
      candidates.Clear();
      Add(docs_.data(), count_, candidates);
    }
    FindRuns(terms[words_[word].term], candidates, runs_);
    DropUnknown();
    Match(word);
    if (word + 1 < words_.size()) KeepMatches(least);
  }
  NoteFrequencies(least, docs);
  docs.Or(unknown_);
}

void PhraseWindow::FindRuns(PostingWindows& term, const WindowBits& candidates, RunArrays& out) {
  constexpr uint32_t kSelectedPerLookUp = 16;  // postings that pass while one is looked up
  constexpr uint32_t kSetUpLookUps = 16;       // that the set-up of a selection costs
  out.base = term.list().positions.data();
  const uint32_t postings = term.Postings(window_).size();
  if (term.list().is_inline) {
    std::fill_n(out.counts, count_, uint16_t{0});
  } else if (count_ < kSetUpLookUps + postings / kSelectedPerLookUp) {
    FindFewRuns(term, out);
  } else {
    FindManyRuns(term, candidates, out);
  }
}

// Looks up one posting after the other, so that only what is needed is verified and read.
// Prefetches the memory of all of them first.
void PhraseWindow::FindFewRuns(PostingWindows& term, const RunArrays& out) {
  const PostingListView& list = term.list();
  for (uint32_t i = 0; i < count_; ++i) {
    const uint32_t posting = term.Find(window_ * kWindowDocs + docs_[i]);
    postings_[i] = posting;
    if (posting == PostingWindows::kNoPosting) continue;
    list.Load(posting, posting + 1);
    PrefetchLine(list.freqs + posting);
    PrefetchLine(list.groups + posting / kPositionGroup);
  }
  kernels_.find_runs(list, postings_.data(), count_, out);
  for (uint32_t i = 0; i < count_; ++i) {
    if (!list.VerifyEntries(out[i])) out.counts[i] = 0;
    PrefetchLine(out.base + out.begins[i]);
  }
}

void PhraseWindow::FindManyRuns(PostingWindows& term, const WindowBits& candidates,
                                const RunArrays& out) {
  const PostingListView& list = term.list();
  const PostingWindows::Range range = term.Postings(window_);
  uint64_t mask[kWindowWords + 1];
  const uint32_t bits = term.Select(window_, candidates, kernels_, mask);
  uint32_t selected = 0;
  for (const uint64_t word : mask) selected += static_cast<uint32_t>(std::popcount(word));
  const uint32_t first = term.FirstSelected(window_);
  if (bits != 0 && selected == count_ &&
      list.VerifyPositions(range.begin, range.end, first, mask)) {
    kernels_.select_runs(list, first, mask, bits, out);
  } else {
    std::fill_n(out.counts, count_, uint16_t{0});
  }
}

// Drops the documents whose positions do not lie in place. Mostly there are none.
void PhraseWindow::DropUnknown() {
  uint32_t known = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    known += matched_.counts[i] != 0 && runs_.counts[i] != 0 ? 1 : 0;
  }
  if (known == count_) return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const bool is_known = matched_.counts[i] != 0 && runs_.counts[i] != 0;
    if (!is_known) unknown_.Set(docs_[i]);
    docs_[kept] = docs_[i];
    doc_codes_[kept] = doc_codes_[i];
    matched_.begins[kept] = matched_.begins[i];
    matched_.counts[kept] = matched_.counts[i];
    runs_.begins[kept] = runs_.begins[i];
    runs_.counts[kept] = runs_.counts[i];
    kept += is_known ? 1 : 0;
  }
  count_ = kept;
}

void PhraseWindow::Match(size_t word) {
  const int32_t distance = words_[word].BehindOf(words_[0]);
  if (word + 1 == words_.size()) {
    return kernels_.match_runs(matched_, runs_, count_, distance, nullptr, matched_);
  }
  size_t most = kMore;
  for (uint32_t i = 0; i < count_; ++i) most += std::min(matched_.counts[i], runs_.counts[i]);
  std::vector<uint16_t>& buffer = buffers_[word % 2];
  if (buffer.size() < most) buffer.resize(most);
  kernels_.match_runs(matched_, runs_, count_, distance, buffer.data(), matched_);
  matched_.base = buffer.data();
}

// Between two words: drops the documents with no match left, or with too few.
void PhraseWindow::KeepMatches(const LeastFreqs* least) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const uint16_t count = matched_.counts[i];
    const uint16_t doc = docs_[i];
    const uint8_t code = doc_codes_[i];
    const uint16_t min_count = least != nullptr ? std::max<uint16_t>(1, least->least[code]) : 1;
    frequencies_[doc] = count == 0 ? 0 : kUnknown;
    docs_[kept] = doc;
    doc_codes_[kept] = code;
    matched_.begins[kept] = matched_.begins[i];
    matched_.counts[kept] = count;
    kept += count >= min_count ? 1 : 0;
  }
  count_ = kept;
}

// Collects the bits of 64 documents before it stores them: stores to the same address would wait
// for each other.
void PhraseWindow::NoteFrequencies(const LeastFreqs* least, WindowBits& docs) {
  uint32_t word = 0;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    const uint16_t count = matched_.counts[i];
    const uint16_t doc = docs_[i];
    const uint8_t code = doc_codes_[i];
    frequencies_[doc] = count;
    codes_[doc] = code;
    if (doc / 64u != word) {
      docs.words[word] |= bits;
      word = doc / 64;
      bits = 0;
    }
    const uint16_t min_count = least != nullptr ? std::max<uint16_t>(1, least->least[code]) : 1;
    bits |= uint64_t{count >= min_count ? 1u : 0u} << (doc % 64);
  }
  docs.words[word] |= bits;
}

}  // namespace pmdex
