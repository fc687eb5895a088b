// A leaf of a flat query in one segment: the documents of a term, a phrase, a pattern or a nested
// group, and their scores. It works on windows of documents (window_bits.h) and on batches of
// candidates. A call does the work of a window or a batch, never of a single posting.
//
// One thread uses a leaf. OpenLeaf (leaf_factory.h) makes it with a SegmentContext, which receives
// the damage that the leaf finds. Once that context has timed out, all results are meaningless.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/segment/format.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class ColumnLeaf;
class TermPostings;

class Leaf {
 public:
  // ScoreDocs gives these in place of a score. Scores are never negative.
  static constexpr float kNoMatch = -1;
  static constexpr float kTooLow = -2;

  static constexpr uint32_t kBatch = 64;  // documents that one call of ScoreDocs scores at most
  using ScoreArray = std::array<float, kBatch>;

  virtual ~Leaf() = default;

  // About how many documents the leaf has: an estimate, to put clauses in order.
  virtual uint64_t Estimate() const = 0;
  // True if the first Estimate reads bytes of the segment, which takes as long as scoring many
  // documents.
  virtual bool EstimateReads() const { return false; }
  // How many documents the leaf has, deleted ones included, if it knows that without reading them.
  virtual std::optional<uint64_t> KnownCount() const { return std::nullopt; }
  // About how many documents of the window the leaf has. Costs less than finding them.
  virtual uint32_t WindowEstimate(uint32_t window) = 0;
  // The first window from `window` on that may have documents of the leaf.
  virtual uint32_t FirstWindowFrom(uint32_t window) = 0;

  // Adds the leaf's documents of the window to `bits`.
  virtual void Fill(uint32_t window, WindowBits& bits) = 0;
  // Removes from `bits` the documents that the leaf does not have.
  virtual void Retain(uint32_t window, WindowBits& bits);

  // Computes the upper bounds of all windows. Bound, FillCompetitive and AddScores require it.
  virtual void PrepareBounds() = 0;
  // The upper bound of the scores in the window; 0 if and only if the window certainly has no
  // document of the leaf.
  virtual float Bound(uint32_t window) const = 0;
  // The upper bound of the scores in the segment. Does not require PrepareBounds.
  virtual float SegmentBound() const = 0;
  // Adds every document of the window whose score in this leaf is at least `min_score`. May add
  // other documents of the window.
  virtual void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) = 0;
  // Adds an upper bound of its score to the sum of every document of the leaf in the window. May
  // add to the sums of other documents. Adds nothing negative.
  virtual void AddScores(uint32_t window, WindowSums& sums);
  // Scores 1 to kBatch documents, which ascend: scores[i] becomes the score of docs[i] or kNoMatch.
  // It may become kTooLow if the score is below min_scores[i]. The elements behind docs.size() are
  // undefined afterwards. Does not require PrepareBounds.
  virtual void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                         ScoreArray& scores) = 0;
  // The score of every document of the leaf, if all have the same one and Matching costs little;
  // nullopt if not.
  virtual std::optional<float> ConstantScore() const { return std::nullopt; }
  // Bit i is set if the leaf has docs[i]. Takes 1 to kBatch documents, which ascend. Requires a
  // ConstantScore.
  virtual uint64_t Matching(std::span<const DocId> docs);
  // True if ScoreDocs costs much less for documents of the window that was filled last.
  virtual bool PrefersFilledWindow() const { return false; }

  // One bit for each document of the segment, set for those of the leaf; nullptr if the leaf has no
  // such bits.
  virtual const uint64_t* MemberBits() const { return nullptr; }
  // The scored postings of a leaf that is a single term; nullptr for every other leaf. The leaf
  // owns them.
  virtual TermPostings* term_postings() { return nullptr; }
  // The leaf itself if it is a range of a column; nullptr for every other leaf.
  virtual ColumnLeaf* column_leaf() { return nullptr; }
};

}  // namespace pmdex
