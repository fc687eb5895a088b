// The documents of one term with their scores. What scores a posting is a template parameter, so
// that the loop over postings has no branch on the similarity.
#pragma once

#include <memory>

#include "query/cursor/cursor.h"
#include "query/cursor/posting_cursor.h"
#include "query/similarity.h"

namespace pmdex {

// Scores postings by one formula that the compiler knows.
template <typename Formula>
class FormulaScorer {
 public:
  explicit FormulaScorer(const TermScorer& scorer)
      : weight_(scorer.weight), lengths_(scorer.lengths->data()) {}

  float Score(float freq, uint8_t length_code) const {
    return Formula::Score(weight_, freq, lengths_[length_code]);
  }

 private:
  float weight_;
  const float* lengths_;
};

// PostingScorer: FormulaScorer, or TermScorer itself for the formulas of a program.
template <typename PostingScorer>
class TermCursor final : public DocCursor {
 public:
  TermCursor(const PostingListView& list, const TermScorer& scorer, CursorContext& context)
      : postings_(list, context), scorer_(scorer) {
    doc_ = postings_.doc();
  }

  DocId Next() override { return doc_ = postings_.Next(); }
  DocId Seek(DocId target) override { return doc_ = postings_.Seek(target); }
  uint64_t Cost() const override { return postings_.Cost(); }
  float Score() override {
    const PostingListView& list = postings_.list();
    const uint32_t i = postings_.index();
    return scorer_.Score(static_cast<float>(list.Freq(i)), list.codes[i]);
  }

 private:
  PostingCursor postings_;
  const PostingScorer scorer_;
};

inline CursorPointer NewTermCursor(const PostingListView& list, const TermScorer& scorer,
                                   CursorContext& context) {
  if (scorer.kind == SimilarityKind::kBm25) {
    return std::make_unique<TermCursor<FormulaScorer<Bm25Formula>>>(list, scorer, context);
  }
  if (scorer.kind == SimilarityKind::kTfidf) {
    return std::make_unique<TermCursor<FormulaScorer<TfidfFormula>>>(list, scorer, context);
  }
  return std::make_unique<TermCursor<TermScorer>>(list, scorer, context);
}

}  // namespace pmdex
