#include "query/algorithm/leaf/listed_leaf.h"

#include <algorithm>
#include <limits>

namespace pmdex {

ListedLeaf::ListedLeaf(std::vector<DocId> docs, std::vector<float> scores, uint32_t doc_count)
    : docs_(std::move(docs)), scores_(std::move(scores)), bounds_(WindowCount(doc_count)) {
  for (size_t i = 0; i < docs_.size(); ++i) {
    const float bound = std::max(scores_[i], std::numeric_limits<float>::min());
    float& of_window = bounds_[docs_[i] / kWindowDocs];
    of_window = std::max(of_window, bound);
    bound_ = std::max(bound_, bound);
  }
}

// The places of the window's documents in docs_.
std::pair<size_t, size_t> ListedLeaf::Range(uint32_t window) const {
  const auto from = [this](uint64_t doc) {
    return static_cast<size_t>(std::lower_bound(docs_.begin(), docs_.end(), doc) - docs_.begin());
  };
  const uint64_t first = uint64_t{window} * kWindowDocs;
  return {from(first), from(first + kWindowDocs)};
}

uint32_t ListedLeaf::WindowEstimate(uint32_t window) {
  const auto [begin, end] = Range(window);
  return static_cast<uint32_t>(end - begin);
}

uint32_t ListedLeaf::FirstWindowFrom(uint32_t window) {
  while (window < bounds_.size() && bounds_[window] == 0) ++window;
  return window;
}

void ListedLeaf::Fill(uint32_t window, WindowBits& bits) {
  const auto [begin, end] = Range(window);
  for (size_t i = begin; i < end; ++i) bits.Set(docs_[i] % kWindowDocs);
}

void ListedLeaf::FillCompetitive(uint32_t window, float min_score, WindowBits& bits) {
  const auto [begin, end] = Range(window);
  for (size_t i = begin; i < end; ++i) {
    if (scores_[i] >= min_score) bits.Set(docs_[i] % kWindowDocs);
  }
}

void ListedLeaf::ScoreDocs(std::span<const DocId> docs, const ScoreArray&, ScoreArray& scores) {
  auto at = docs_.begin();
  for (size_t i = 0; i < docs.size(); ++i) {
    at = std::lower_bound(at, docs_.end(), docs[i]);
    const bool matches = at != docs_.end() && *at == docs[i];
    scores[i] = matches ? scores_[static_cast<size_t>(at - docs_.begin())] : kNoMatch;
  }
}

}  // namespace pmdex
