// The leaf of a boolean query inside another one: `+a +b` in `(+a +b) c`. It combines the documents
// of its parts window by window as bits. Its score is the one of the exhaustive search: the scores
// of the parts that match, added in their order in double and rounded once. A part may be a group
// again. One thread uses a GroupLeaf.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/cursor/cursor.h"
#include "query/language/query.h"

namespace pmdex {

class GroupLeaf final : public Leaf {
 public:
  struct Part {
    Occur occur = Occur::kShould;
    std::unique_ptr<Leaf> leaf;
  };

  // parts: in the order of the query, at least one of them not prohibited. minimum: so many
  // optional parts must match; at least 1 if no part is required. The context must outlive the
  // leaf.
  GroupLeaf(std::vector<Part> parts, uint32_t minimum, CursorContext& context);

  uint64_t Estimate() const override;
  uint32_t WindowEstimate(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override;
  void Fill(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override;
  float Bound(uint32_t window) const override;
  float SegmentBound() const override;
  void FillCompetitive(uint32_t window, float min_score, WindowBits& bits) override;
  void AddScores(uint32_t window, WindowSums& sums) override;
  void ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                 ScoreArray& scores) override;

 private:
  // The documents of a batch that no part has excluded yet.
  struct Remaining {
    std::array<DocId, kBatch> docs;
    std::array<uint32_t, kBatch> place;  // of each in the batch
    ScoreArray needed;                   // the score that each must reach
    std::array<double, kBatch> known;    // the sum of its scores so far
    uint32_t count = 0;
  };
  // A part in the order in which they score.
  struct Step {
    size_t part = 0;
    double bounds_after = 0;  // the bounds of the parts that score after it, added up
  };

  template <typename F>
  float SumOf(F bound_of) const;
  void FillRequired(uint32_t window, WindowBits& bits);
  void FillOptional(uint32_t window, WindowBits& bits);
  void DropProhibited(uint32_t window, WindowBits& bits);
  void FillFromEssential(uint32_t window, float min_score, double all, WindowBits& bits);
  void PrepareScoring();
  void ScorePart(const Step& step, Remaining& left, ScoreArray& scores);
  float ScoreAt(uint32_t place) const;

  // Called before each part's work on a window or a batch.
  bool IsOver() {
    constexpr uint64_t kPartWork = 64;
    return context_.IsOver(kPartWork);
  }

  std::vector<Part> parts_;  // in the order of the query
  // Indexes of the parts that give the candidates: the required ones, fewest documents first, or
  // the optional ones if none is required.
  std::vector<size_t> candidates_;
  bool any_required_ = false;
  uint32_t minimum_;  // of the optional parts
  CursorContext& context_;
  std::vector<size_t> order_;       // candidates_ by their bounds in the window that is filled
  std::vector<Step> steps_;         // empty until ScoreDocs was called
  std::vector<ScoreArray> scores_;  // of each part, used by ScoreDocs
};

}  // namespace pmdex
