// The leaf of a phrase. Its candidates are the documents that have all the terms, found and
// filtered like the documents of the terms. For an exact phrase, PhraseWindow finds how often all
// candidates of a window have it. For one with slop, SloppyWindow finds the candidates whose words
// are near each other. The rest, and phrases with slop that repeat a word, go through PhraseCheck
// document by document. Frequencies bound the score first, and positions are compared only in
// documents whose bound suffices. One thread uses a PhraseLeaf.
#pragma once

#include <optional>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/phrase/phrase_check.h"
#include "query/algorithm/phrase/phrase_window.h"
#include "query/algorithm/phrase/sloppy_window.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/planning/bound_query.h"

namespace pmdex {

class PhraseLeaf final : public Leaf {
 public:
  // lists: one for each word of the phrase, in its order; at least one. phrase: of kind kPhrase.
  PhraseLeaf(std::vector<PostingListView> lists, const BoundQuery& phrase, SegmentContext& context);

  uint64_t Estimate() const override { return terms_[0].list().df; }
  uint32_t WindowEstimate(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override { return terms_[0].FirstWindowFrom(window); }
  void Fill(uint32_t window, WindowBits& bits) override;
  void Retain(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override;
  float Bound(uint32_t window) const override { return bounds_[window]; }
  float SegmentBound() const override;
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override;
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override;
  bool PrefersFilledWindow() const override { return true; }

 private:
  float Score(DocId doc, float min_score);
  float ScoreAt(uint32_t place, float min_score);
  void RetainCandidates(uint32_t window, WindowBits& bits);
  bool PrepareTable(float min_score);
  void LowerTable();
  bool FindAll(DocId doc);
  float Frequency(DocId doc);
  bool Matches(DocId doc);
  float FrequencyBound() const;
  float SloppyBound() const;

  std::vector<PostingWindows> terms_;  // the rarest first, each once
  std::vector<uint32_t> postings_;     // of the document that is being scored, indexed like terms_
  std::vector<PhraseWord> words_;      // those with fewer positions first
  std::optional<PhraseCheck> check_;
  TermScorer scorer_;
  const QueryKernels& kernels_;
  CursorContext& context_;
  bool exact_;
  std::optional<PhraseWindow> exact_window_;   // for an exact phrase of several words
  std::optional<SloppyWindow> sloppy_window_;  // for one with slop whose words are all different
  // By window: documents that the ranking found not to have the phrase, for counting. Empty before.
  std::vector<WindowBits> without_;
  std::vector<float> bounds_;  // by window
  LeastFreqs table_;
  float table_min_score_ = 0;  // that table_ was made for; 0 before it was made
};

}  // namespace pmdex
