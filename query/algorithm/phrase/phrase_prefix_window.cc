#include "query/algorithm/phrase/phrase_prefix_window.h"

#include <algorithm>

namespace pmdex {
namespace {

int32_t Distance(uint32_t from, uint32_t to) {
  return static_cast<int32_t>(to) - static_cast<int32_t>(from);
}

}  // namespace

std::span<const PhrasePrefixWindow::Found> PhrasePrefixWindow::Find(uint32_t window,
                                                                    std::span<PostingWindows> words,
                                                                    std::span<PostingWindows> last,
                                                                    const WindowBits& candidates) {
  window_ = window;
  unknown_.Clear();
  matches_.clear();
  found_.clear();
  WindowBits docs;
  for (PostingWindows& term : last) term.Fill(window, docs);
  docs.And(candidates);
  MatchWords(words, docs);
  for (PostingWindows& term : last) {
    if (count_ == 0) break;
    if (term.Postings(window).size() != 0) MatchTerm(term, docs);
  }
  std::sort(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) {
    return a.doc != b.doc ? a.doc < b.doc : a.begin < b.begin;
  });
  for (size_t begin = 0, end = 0; begin < matches_.size(); begin = end) {
    while (end < matches_.size() && matches_[end].doc == matches_[begin].doc) ++end;
    const Found found = Sum(std::span(matches_).subspan(begin, end - begin));
    const uint32_t doc = matches_[begin].doc;
    if ((unknown_.words[doc / 64] >> (doc % 64) & 1) == 0) found_.push_back(found);
  }
  const auto known = static_cast<ptrdiff_t>(found_.size());
  unknown_.ForEach([&](uint32_t doc) {
    found_.push_back({window * kWindowDocs + doc, kUnknown});
    return true;
  });
  std::inplace_merge(found_.begin(), found_.begin() + known, found_.end(),
                     [](const Found& a, const Found& b) { return a.doc < b.doc; });
  return found_;
}

// Fills docs_ and matched_ with the candidates where the words before the last one match.
void PhrasePrefixWindow::MatchWords(std::span<PostingWindows> words, WindowBits& candidates) {
  count_ = 0;
  candidates.ForEach([this](uint32_t doc) {
    docs_[count_++] = static_cast<uint16_t>(doc);
    return true;
  });
  matched_ = {nullptr, matched_lanes_.begins.data(), matched_lanes_.counts.data(), nullptr};
  for (size_t word = 0; word < words.size() && count_ != 0; ++word) {
    RunArrays runs{nullptr, lanes_.begins.data(), lanes_.counts.data(), nullptr};
    RunArrays& found = word == 0 ? matched_ : runs;
    runs_of_term_.Find(window_, words[word], {docs_.data(), count_}, candidates, found);
    for (uint32_t i = 0; i < count_; ++i) {
      if (found.counts[i] == 0) unknown_.Set(docs_[i]);
    }
    if (word != 0) {
      size_t most = WindowRuns::kMore;
      for (uint32_t i = 0; i < count_; ++i) most += std::min(matched_.counts[i], runs.counts[i]);
      std::vector<uint16_t>& buffer = buffers_[word % 2];
      if (buffer.size() < most) buffer.resize(most);
      const int32_t distance = Distance(offsets_[0], offsets_[word]);
      kernels_.match_runs(matched_, runs, count_, distance, buffer.data(), matched_);
      matched_.base = buffer.data();
    }
    KeepMatches(candidates);
  }
}

// Drops the candidates without a match, and those that are unknown.
void PhrasePrefixWindow::KeepMatches(WindowBits& candidates) {
  uint32_t kept = 0;
  candidates.Clear();
  for (uint32_t i = 0; i < count_; ++i) {
    const uint16_t doc = docs_[i];
    if (matched_.counts[i] == 0) continue;
    candidates.Set(doc);
    places_[doc] = static_cast<uint16_t>(kept);
    docs_[kept] = doc;
    matched_.begins[kept] = matched_.begins[i];
    matched_.counts[kept] = matched_.counts[i];
    ++kept;
  }
  count_ = kept;
}

// Finds the candidates with the phrase that ends with the term.
void PhrasePrefixWindow::MatchTerm(PostingWindows& term, const WindowBits& candidates) {
  WindowBits docs;
  term.Fill(window_, docs);
  docs.And(candidates);
  const RunArrays left{matched_.base, term_lanes_.begins.data(), term_lanes_.counts.data(),
                       nullptr};
  uint32_t count = 0;
  size_t most = WindowRuns::kMore;
  docs.ForEach([&](uint32_t doc) {
    const uint32_t place = places_[doc];
    term_docs_[count] = static_cast<uint16_t>(doc);
    left.begins[count] = matched_.begins[place];
    left.counts[count] = matched_.counts[place];
    most += matched_.counts[place];
    ++count;
    return true;
  });
  if (count == 0) return;
  RunArrays right{nullptr, lanes_.begins.data(), lanes_.counts.data(), nullptr};
  runs_of_term_.Find(window_, term, {term_docs_.data(), count}, docs, right);
  const size_t used = matches_.empty() ? 0 : matches_.back().begin + matches_.back().count;
  if (positions_.size() < used + most) positions_.resize(used + most);
  for (uint32_t i = 0; i < count; ++i) {
    if (right.counts[i] == 0) unknown_.Set(term_docs_[i]);
  }
  const int32_t distance = Distance(offsets_[0], offsets_.back());
  kernels_.match_runs(left, right, count, distance, positions_.data() + used, left);
  for (uint32_t i = 0; i < count; ++i) {
    if (left.counts[i] == 0) continue;
    const auto begin = static_cast<uint32_t>(used) + left.begins[i];
    matches_.push_back({term_docs_[i], left.counts[i], begin});
  }
}

// The frequency in one document. Terms that stand on the same position match at the same position
// of the first word.
PhrasePrefixWindow::Found PhrasePrefixWindow::Sum(std::span<const Match> matches) {
  const DocId doc = window_ * kWindowDocs + matches[0].doc;
  if (matches.size() == 1) return {doc, matches[0].count};
  in_doc_.clear();
  for (const Match& match : matches) {
    const auto begin = positions_.begin() + match.begin;
    in_doc_.insert(in_doc_.end(), begin, begin + match.count);
  }
  std::sort(in_doc_.begin(), in_doc_.end());
  const bool is_twice = std::adjacent_find(in_doc_.begin(), in_doc_.end()) != in_doc_.end();
  return {doc, is_twice ? kUnknown : static_cast<uint32_t>(in_doc_.size())};
}

}  // namespace pmdex
