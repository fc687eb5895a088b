// The documents of one term with their scores. The formula is a template parameter, so that the
// loop over postings has no branch on the similarity.
#pragma once

#include "query/cursor/cursor.h"
#include "query/cursor/posting_cursor.h"
#include "query/similarity.h"

namespace pmdex {

template <typename Formula>
class TermCursor final : public DocCursor {
 public:
  TermCursor(const PostingListView& list, const TermScorer& scorer, CursorContext& context)
      : postings_(list, context), weight_(scorer.weight), lengths_(scorer.lengths->data()) {
    doc_ = postings_.doc();
  }

  DocId Next() override { return doc_ = postings_.Next(); }
  DocId Seek(DocId target) override { return doc_ = postings_.Seek(target); }
  uint64_t Cost() const override { return postings_.Cost(); }
  float Score() override {
    const PostingListView& list = postings_.list();
    const uint32_t i = postings_.index();
    return Formula::Score(weight_, static_cast<float>(list.Freq(i)), lengths_[list.codes[i]]);
  }

 private:
  PostingCursor postings_;
  float weight_;
  const float* lengths_;
};

// The same by the formulas of a program.
class CustomTermCursor final : public DocCursor {
 public:
  CustomTermCursor(const PostingListView& list, const TermScorer& scorer, CursorContext& context)
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
  const TermScorer scorer_;
};

inline CursorPointer NewTermCursor(const PostingListView& list, const TermScorer& scorer,
                                   CursorContext& context) {
  if (scorer.kind == SimilarityKind::kBm25) {
    return std::make_unique<TermCursor<Bm25Formula>>(list, scorer, context);
  }
  if (scorer.kind == SimilarityKind::kCustom) {
    return std::make_unique<CustomTermCursor>(list, scorer, context);
  }
  return std::make_unique<TermCursor<TfidfFormula>>(list, scorer, context);
}

}  // namespace pmdex
