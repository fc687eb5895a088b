// A boolean query inside another one as a leaf: `+a +b` in `(+a +b) c`. Its documents are those of
// its parts, combined window by window as bits; its score is that of the exhaustive evaluator, the
// sum over the parts that match in their order, in double and rounded once. Parts may be groups
// again.
//
// Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/algorithm/leaf/leaf.h"
#include "query/language/query.h"

namespace pmdex {

class GroupLeaf final : public Leaf {
 public:
  struct Part {
    Occur occur = Occur::kShould;
    std::unique_ptr<Leaf> leaf;
  };

  // In the order of the query; at least one is not prohibited.
  // context: of the segment's search, nullptr: it has no deadline.
  explicit GroupLeaf(std::vector<Part> parts, CursorContext* context = nullptr);

  uint64_t Cost() const override;
  uint32_t WindowCost(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override;
  void Fill(uint32_t window, WindowBits& bits) override;
  void PrepareBounds() override;
  float Bound(uint32_t window) const override;
  void FillPassing(uint32_t window, float needed, WindowBits& bits) override;
  void AddScores(uint32_t window, WindowSums& sums) override;
  void ScoreDocs(std::span<const DocId> docs, const BatchLane& needed, BatchLane& scores) override;
  float SegmentBound() const override;

 private:
  // Documents of a batch that no part has sent away yet.
  struct Remaining {
    std::array<DocId, kBatch> docs;
    std::array<uint32_t, kBatch> place;  // in the batch
    uint32_t count = 0;
  };

  template <typename F>
  float SumOf(F bound_of) const;
  void DropProhibited(uint32_t window, WindowBits& bits);
  void Ask(size_t part, Remaining& left);
  float ScoreAt(uint32_t place) const;

  // Before a part is asked about a window or a batch.
  bool IsOver() {
    constexpr uint64_t kPartWork = 64;
    return context_ != nullptr && context_->IsOver(kPartWork);
  }

  std::vector<Part> parts_;         // in the order of the query
  std::vector<size_t> candidates_;  // parts: the required ones by cost; without any, the optional
  bool any_required_ = false;
  CursorContext* context_;
  std::vector<BatchLane> scores_;  // of each part, while documents are scored
};

}  // namespace pmdex
