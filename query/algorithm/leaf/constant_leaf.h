// Leaves whose documents all score the same: every document, the documents that have a field, and
// those of a prefix, a wildcard or a regular expression.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "query/algorithm/leaf/leaf.h"
#include "query/cursor/doc_set.h"

namespace pmdex {

class ConstantLeaf : public Leaf {
 public:
  ConstantLeaf(float score, uint32_t doc_count) : score_(score), doc_count_(doc_count) {}

  uint32_t WindowEstimate(uint32_t) override { return kWindowDocs; }
  uint32_t FirstWindowFrom(uint32_t window) override { return window; }
  void PrepareBounds() override {}
  // Never 0, which would mean that the window has no document.
  float Bound(uint32_t) const override {
    return std::max(score_, std::numeric_limits<float>::min());
  }
  float SegmentBound() const override { return Bound(0); }
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override {
    if (score_ >= min_score) Fill(window, bits);
  }
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray&, ScoreArray& scores) override {
    const uint64_t matching = Matching(docs);
    for (size_t i = 0; i < docs.size(); ++i) {
      scores[i] = (matching >> i & 1) != 0 ? score_ : kNoMatch;
    }
  }
  std::optional<float> ConstantScore() const override { return score_; }
  uint64_t Matching(std::span<const DocId> docs) override {
    uint64_t matching = 0;
    for (size_t i = 0; i < docs.size(); ++i) matching |= uint64_t{Contains(docs[i])} << i;
    return matching;
  }

 protected:
  virtual bool Contains(DocId doc) = 0;
  uint32_t DocsIn(uint32_t window) const {
    return std::min(kWindowDocs, doc_count_ - window * kWindowDocs);
  }
  uint32_t doc_count() const { return doc_count_; }

 private:
  float score_;
  uint32_t doc_count_;
};

class AllLeaf final : public ConstantLeaf {
 public:
  using ConstantLeaf::ConstantLeaf;
  uint64_t Estimate() const override { return doc_count(); }
  std::optional<uint64_t> KnownCount() const override { return doc_count(); }
  void Fill(uint32_t window, WindowBits& bits) override {
    const uint32_t docs = DocsIn(window);
    for (uint32_t i = 0; i < docs / 64; ++i) bits.words[i] = ~uint64_t{0};
    if (docs % 64 != 0) bits.words[docs / 64] |= (uint64_t{1} << (docs % 64)) - 1;
  }

 private:
  bool Contains(DocId) override { return true; }
};

// The documents whose length code in the field is not 0.
class FieldLeaf final : public ConstantLeaf {
 public:
  // norms: the length code of every document of the segment. documents: how many have the field.
  FieldLeaf(std::span<const uint8_t> norms, float score, uint64_t documents)
      : ConstantLeaf(score, static_cast<uint32_t>(norms.size())),
        norms_(norms),
        documents_(documents) {}
  uint64_t Estimate() const override { return documents_; }
  std::optional<uint64_t> KnownCount() const override { return documents_; }
  void Fill(uint32_t window, WindowBits& bits) override {
    const uint8_t* codes = norms_.data() + size_t{window} * kWindowDocs;
    const uint32_t docs = DocsIn(window);
    uint32_t i = 0;
    for (; i + 8 <= docs; i += 8) bits.words[i / 64] |= NonZeroBytes(codes + i) << (i % 64);
    for (; i < docs; ++i) bits.words[i / 64] |= uint64_t{codes[i] != 0} << (i % 64);
  }

 private:
  bool Contains(DocId doc) override { return norms_[doc] != 0; }

  // Bit i is set if byte i of the eight is not 0.
  static uint64_t NonZeroBytes(const uint8_t* eight) {
    constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    uint64_t bytes = 0;
    std::memcpy(&bytes, eight, sizeof(bytes));
    const uint64_t marks = ((((bytes & kLow) + kLow) | bytes) & ~kLow) >> 7;
    return marks * 0x0102040810204080 >> 56;
  }

  std::span<const uint8_t> norms_;
  uint64_t documents_;
};

class DocSetLeaf final : public ConstantLeaf {
 public:
  DocSetLeaf(std::shared_ptr<const DocSet> docs, float score, uint32_t doc_count)
      : ConstantLeaf(score, doc_count), docs_(std::move(docs)) {}
  uint64_t Estimate() const override { return docs_->size_bound(); }
  uint32_t FirstWindowFrom(uint32_t window) override {
    if (window >= WindowCount(doc_count())) return window;
    size_t hint = 0;
    const DocId first = docs_->FirstFrom(window * kWindowDocs, hint);
    return first == kEndOfDocs ? WindowCount(doc_count()) : first / kWindowDocs;
  }
  void Fill(uint32_t window, WindowBits& bits) override { docs_->Fill(window, bits); }

 private:
  bool Contains(DocId doc) override { return docs_->Contains(doc); }

  std::shared_ptr<const DocSet> docs_;
};

}  // namespace pmdex
