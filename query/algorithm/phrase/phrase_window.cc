#include "query/algorithm/phrase/phrase_window.h"

#include <algorithm>
#include <utility>

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
  matched_ = {nullptr, matched_lanes_.begins.data(), matched_lanes_.counts.data(),
              doc_codes_.data()};
  runs_ = {nullptr, lanes_.begins.data(), lanes_.counts.data(), nullptr};
  WindowBits candidates = std::exchange(docs, WindowBits());
  runs_of_term_.Find(window, terms[words_[0].term], {docs_.data(), count_}, candidates, matched_);
  for (size_t word = 1; word < words_.size() && count_ != 0; ++word) {
    if (word > 1) {
      candidates.Clear();
      Add(docs_.data(), count_, candidates);
    }
    runs_of_term_.Find(window, terms[words_[word].term], {docs_.data(), count_}, candidates, runs_);
    DropUnknown();
    Match(word);
    if (word + 1 < words_.size()) KeepMatches(least);
  }
  NoteFrequencies(least, docs);
  docs.Or(unknown_);
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
  size_t most = WindowRuns::kMore;
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
